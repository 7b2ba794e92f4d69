"""Depth-scaled initialisation (Zhang 2019, section 5)."""

from typing import Literal

from torch import nn

from deepmt.init.glorot import glorot_


def ds_init_(
    model: nn.Module,
    *,
    fused_cross: bool,
    alpha: float,
    decay: float,
    stacks: Literal["both", "encoder", "decoder"],
) -> None:
    """W of layer l uniform on +-gamma * alpha * l^-decay (Eq. 15), l counted from 1 in each stack.

    Eq. 15 has decay 1/2. The released code scales the variance by l^-1/2, which makes the bound
    fall as l^-1/4; only that gives the paper's Table 1, so 1/4 is the default. Embeddings, norms
    and biases are not scaled.
    """

    def shrink(stack: str, layer: int) -> float:
        return alpha * layer**-decay if stacks in ("both", stack) else 1.0

    glorot_(model, fused_cross=fused_cross, shrink=shrink)

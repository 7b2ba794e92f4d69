"""Initialise by depth-scaled initialisation, DS-Init (Zhang 2019, section 5)."""

from collections.abc import Callable
from typing import Any, Literal

from torch import nn

from deepmt.init.glorot import Batch, details_, glorot_
from deepmt.settings.spec import Spec


def ds_init_(
    model: nn.Module,
    *,
    fused_cross: bool,
    alpha: float,
    exponent: float,
    stacks: Literal["both", "encoder", "decoder"],
) -> None:
    """Draw W of layer l uniformly from +-gamma * alpha * l^-exponent (Eq. 15).

    l is counted from 1 in each stack. Eq. 15 has the exponent 1/2. The released code scales the
    variance by l^-1/2 and thus the bound by l^-1/4; only this reproduces the paper's Table 1, so
    1/4 is the default. Embeddings, norms and biases are not scaled.
    """

    def factor(stack: str, layer: int) -> float:
        return alpha * layer**-exponent if stacks in ("both", stack) else 1.0

    glorot_(model, fused_cross=fused_cross, scale=factor)


def initialisation(model: nn.Module, spec: Spec, batch: Callable[[], Batch]) -> dict[str, Any]:
    """Draw weights with the options of a spec."""
    options = spec.method.initialisation
    ds_init_(
        model,
        fused_cross=spec.model.cross_fan == "fused",
        alpha=options.alpha,
        exponent=options.exponent,
        stacks=options.stacks,
    )
    details_(model, spec.model)
    return {}

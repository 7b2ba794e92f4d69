"""Locate a sublayer in a Transformer."""

from dataclasses import dataclass
from typing import Literal

from torch import nn

from deepmt.settings.spec import Stack


@dataclass(frozen=True, kw_only=True)
class SublayerIndex:
    """Hold what norms and residual connections may depend on."""

    stack: Literal["encoder", "decoder"]
    size: Stack
    layer: int
    """Counted from 1 in its stack, like the next one."""
    sublayer: int
    sublayers: int
    """Number of sublayers in the stack."""
    below: tuple[nn.Module, ...]
    """Residual connections of the sublayers below in the same layer."""

"""Combine the input and output of a sublayer by a residual connection."""

from torch import Tensor, nn

from deepmt.model.sublayer_index import SublayerIndex
from deepmt.settings.spec import Spec


class PlainResidual(nn.Module):
    """Compute x + F(x)."""

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        """Combine input and update: [B, T, D] twice -> [B, T, D]."""
        return x + update


class NoResidual(nn.Module):
    """Return F(x) alone: "Baseline - residuals" of Bapna 2018, Tables 1-4."""

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        """Combine input and update: [B, T, D] twice -> [B, T, D]."""
        return update


def residual(spec: Spec, index: SublayerIndex) -> PlainResidual:
    """Return the residual connection of one sublayer."""
    return PlainResidual()


def no_residual(spec: Spec, index: SublayerIndex) -> NoResidual:
    """Return a sublayer's output unchanged, without a residual connection."""
    return NoResidual()

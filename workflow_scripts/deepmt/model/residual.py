"""The residual connection: how a sublayer's input and output become one."""

from torch import Tensor, nn

from deepmt.config.spec import Spec, Stack


class PlainResidual(nn.Module):
    """x + F(x)."""

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        """[B, T, D] twice -> [B, T, D]."""
        return x + update


class NoResidual(nn.Module):
    """F(x) alone: "Baseline - residuals" of Bapna 2018, Tables 1-4."""

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        """[B, T, D] twice -> [B, T, D]."""
        return update


def residual(spec: Spec, size: Stack) -> PlainResidual:
    """Return the connection of one sublayer."""
    return PlainResidual()


def no_residual(spec: Spec, size: Stack) -> NoResidual:
    """Return no connection at all."""
    return NoResidual()

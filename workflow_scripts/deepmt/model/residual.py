"""The residual connection: a sublayer adds its output to this."""

from torch import Tensor, nn

from deepmt.config.spec import Spec, Stack


class NoResidual(nn.Module):
    """Nothing: "Baseline - residuals" of Bapna 2018, Tables 1-4."""

    def forward(self, x: Tensor) -> Tensor:
        """[B, T, D] -> a zero that broadcasts."""
        return x.new_zeros(())


def residual(spec: Spec, size: Stack) -> nn.Module:
    """Return the identity."""
    return nn.Identity()


def no_residual(spec: Spec, size: Stack) -> NoResidual:
    """Return a connection that adds nothing."""
    return NoResidual()

"""Implement layer normalisation."""

from torch import Tensor, nn
from torch.nn import functional

from deepmt.kernels import one_pass_norm
from deepmt.kernels.fast_form import fast_form


@fast_form(one_pass_norm.layer_norm)
def layer_norm(x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    """Return (x - mean) / sqrt(variance + e) gain + bias over the last dimension: [..., D]."""
    return functional.layer_norm(x, gain.shape, gain, bias, epsilon)


class LayerNorm(nn.LayerNorm):
    """Apply `layer_norm` in place of nn.LayerNorm."""

    def forward(self, x: Tensor) -> Tensor:
        """Normalise each position: [B, T, D] -> [B, T, D]."""
        return layer_norm(x, self.weight, self.bias, self.eps)

"""Implement layer normalisation in the type of its input, with statistics in float32."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.kernels import one_pass_norm
from deepmt.kernels.fast_form import fast_form


@fast_form(one_pass_norm.layer_norm)
def layer_norm(x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    """Return (x - mean) / sqrt(variance + e) gain + bias over the last dimension: [..., D]."""
    return functional.layer_norm(x, gain.shape, gain, bias, epsilon)


def normalise(
    x: Tensor, gain: Tensor | None = None, bias: Tensor | None = None, *, epsilon: float
) -> Tensor:
    """Return x of `layer_norm` in the type of x, without gain and bias if they are None.

    CUDA's autocast would return float32, and its operator takes gain and bias in the type of x
    only; on a CPU they stay in float32.
    """
    if x.device.type == "cuda":
        with torch.autocast("cuda", enabled=False):
            gain, bias = (None if part is None else part.to(x.dtype) for part in (gain, bias))
            return functional.layer_norm(x, x.shape[-1:], gain, bias, epsilon)
    if gain is None or bias is None:
        return functional.layer_norm(x, x.shape[-1:], eps=epsilon)
    return layer_norm(x, gain, bias, epsilon)


class LayerNorm(nn.LayerNorm):
    """Apply `normalise` in place of nn.LayerNorm."""

    def forward(self, x: Tensor) -> Tensor:
        """Normalise each position: [B, T, D] -> [B, T, D]."""
        return normalise(x, self.weight, self.bias, epsilon=self.eps)

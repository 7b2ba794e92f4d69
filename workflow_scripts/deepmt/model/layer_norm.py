"""Implement layer normalisation in the type of its input, with statistics in float32."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def normalise(
    x: Tensor, gain: Tensor | None = None, bias: Tensor | None = None, *, epsilon: float
) -> Tensor:
    """Return (x - mean) / sqrt(variance + e) gain + bias over the last dimension: [..., D].

    The result has the type of x; gain and bias may be None.

    CUDA's autocast would return float32, and its operator takes gain and bias in the type of x
    only; on a CPU they stay in float32.
    """
    if x.device.type == "cuda":
        with torch.autocast("cuda", enabled=False):
            gain, bias = (None if part is None else part.to(x.dtype) for part in (gain, bias))
            return functional.layer_norm(x, x.shape[-1:], gain, bias, epsilon)
    return functional.layer_norm(x, x.shape[-1:], gain, bias, epsilon)


class LayerNorm(nn.LayerNorm):
    """Apply `normalise` in place of nn.LayerNorm."""

    def forward(self, x: Tensor) -> Tensor:
        """Normalise each position: [B, T, D] -> [B, T, D]."""
        return normalise(x, self.weight, self.bias, epsilon=self.eps)

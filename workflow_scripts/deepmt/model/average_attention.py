"""Implement average attention, which weights all earlier positions equally.

M_a[t, j] = 1/t for j <= t, else 0 (Zhang 2019, section 6). With padding on the right, M_a x is a
cumulative mean, so a decoding step needs only the running sum at any length.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from deepmt.kernels.decoder_caches import RowCache
from deepmt.kernels.key_value_cache import DecodeStep
from deepmt.model.attention import CrossAttention
from deepmt.model.linear import Linear
from deepmt.settings.spec import Spec


def cumulative_mean(x: Tensor) -> Tensor:
    """Return M_a x: [B, T, D] -> [B, T, D]."""
    counts = torch.arange(1, x.size(1) + 1, dtype=x.dtype, device=x.device)[:, None]
    if x.device.type == "cuda":  # its cumsum may add up in another order in every run
        mask = x.new_ones(x.size(1), x.size(1)).tril() / counts
        return (mask.expand(x.size(0), -1, -1) @ x).to(x.dtype)
    return (x.cumsum(1) / counts).to(x.dtype)


def start_sum(rows: int, d_model: int, like: Tensor) -> RowCache:
    """Return an empty running sum, whose size does not grow with the number of positions.

    It has at least the precision of float32: bfloat16 would ignore small terms of long sums.
    """
    dtype = torch.promote_types(like.dtype, torch.float32)
    return RowCache(sum=like.new_zeros(rows, 1, d_model, dtype=dtype))


def step_mean(x: Tensor, cache: RowCache, step: DecodeStep) -> Tensor:
    """Add x [N, 1, D] to the running sum; return the mean of all positions so far."""
    cache["sum"] = cache["sum"] + x
    return (cache["sum"] / (step.position + 1)[:, None, None]).to(x.dtype)


class AverageAttention(nn.Module):
    """Apply AAN without its FFN: i * x + o * A.

    A = M_a x and [i; o] = sigmoid([x; A] W_z + b_z).
    """

    projected = False

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.gate = Linear(2 * d_model, 2 * d_model)

    def _gated(self, x: Tensor, average: Tensor) -> Tensor:
        keep, take = torch.sigmoid(self.gate(torch.cat([x, average], -1))).chunk(2, -1)
        return keep * x + take * average

    def forward(self, x: Tensor) -> Tensor:
        """Average all positions up to each one: [B, T, D] -> [B, T, D]."""
        return self._gated(x, cumulative_mean(x))

    def start(self, sentences: int, beam: int, like: Tensor) -> RowCache:
        """Return an empty running sum."""
        return start_sum(sentences * beam, self.gate.in_features // 2, like)

    def step(self, x: Tensor, cache: RowCache, step: DecodeStep) -> Tensor:
        """Compute one new position: [N, 1, D] -> [N, 1, D]."""
        return self._gated(x, step_mean(x, cache, step))


class SimplifiedAverageAttention(nn.Module):
    """Apply SAAN, M_a (x W_v + b_v) (Zhang 2019, Eq. 16), with W_v and b_v of cross-attention.

    The paper mentions only that W_o is shared. The released code shares W_v too, and only this
    reproduces the published parameter counts.
    """

    projected = False

    def __init__(self, values: Callable[[Tensor], Tensor], d_model: int) -> None:
        super().__init__()
        self.values = values
        self.d_model = d_model

    def forward(self, x: Tensor) -> Tensor:
        """Average all positions up to each one: [B, T, D] -> [B, T, D]."""
        return cumulative_mean(self.values(x))

    def start(self, sentences: int, beam: int, like: Tensor) -> RowCache:
        """Return an empty running sum."""
        return start_sum(sentences * beam, self.d_model, like)

    def step(self, x: Tensor, cache: RowCache, step: DecodeStep) -> Tensor:
        """Compute one new position: [N, 1, D] -> [N, 1, D]."""
        return step_mean(self.values(x), cache, step)


def decoder_self_attention(spec: Spec, cross: CrossAttention) -> nn.Module:
    """Return AAN, or SAAN with the value projection of cross-attention."""
    d_model = spec.decoder.d_model
    if spec.method.decoder_self_attention.name == "saan":
        return SimplifiedAverageAttention(cross.values, d_model)
    return AverageAttention(d_model)

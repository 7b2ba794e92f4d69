"""Compute linear layers by the fastest form for each product: tiles, oneDNN or torch's default.

Tiles serve training. Outside it, on AMD processors, oneDNN multiplies float32 numbers with AVX-512,
which torch's default, MKL, leaves unused there; it takes max(0, y) while it writes y.
"""

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels import compiled
from deepmt.kernels.tiled_linear import TiledLinear, tiles_are_faster

MIN_MULTIPLICATIONS = 1 << 20
"""Multiplications in a product below which oneDNN's overhead exceeds its gain."""


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return x W^T + b: [..., I], [O, I], [O] -> [..., O]."""
    return multiply(x, weight, bias, rectify=False)


def rectified_linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return max(0, x W^T + b): [..., I], [O, I], [O] -> [..., O]."""
    return multiply(x, weight, bias, rectify=True)


def multiply(x: Tensor, weight: Tensor, bias: Tensor | None, *, rectify: bool) -> Tensor:
    """Return x W^T + b, or max(0, x W^T + b), by the fastest form."""
    if tiles_are_faster(x, weight):
        return TiledLinear.apply(x, weight, bias, rectify)
    if onednn_is_faster(x, weight):
        return by_onednn(x, weight, bias, "relu" if rectify else "none")
    y = functional.linear(x, weight, bias)
    return torch.relu(y) if rectify else y


def onednn_is_faster(x: Tensor, weight: Tensor) -> bool:
    """Check if oneDNN is faster on this processor for a product of this type and size."""
    exact = x.dtype == weight.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")
    usable = x.device.type == "cpu" and not torch.is_grad_enabled() and compiled.mkl_is_slow()
    return exact and usable and x.numel() * len(weight) >= MIN_MULTIPLICATIONS


def by_onednn(x: Tensor, weight: Tensor, bias: Tensor | None, activation: str) -> Tensor:
    """Return activation(x W^T + b): [..., I], [O, I], [O] -> [..., O].

    oneDNN compiles a kernel for every new shape, in two to five milliseconds, and caches 1,024 of
    them; nearly every batch has a different number of rows, so it is rounded up.
    """
    rows = x.reshape(-1, x.size(-1))
    more = rounded_up(len(rows)) - len(rows)
    padded = functional.pad(rows, (0, 0, 0, more)) if more else rows
    y = torch.ops.mkldnn._linear_pointwise(padded, weight, bias, activation, [], "")
    return y[: len(rows)].view(*x.shape[:-1], -1)


def rounded_up(rows: int) -> int:
    """Round a number of rows up, by an eighth at most, to k 2^n with 8 <= k < 16."""
    return rows + -rows % (1 << max(rows.bit_length() - 4, 0))

"""Dropout whose random numbers cost next to nothing on a CPU."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

LEVELS = 1 << 16


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """x m / (1 - p), m = 0 with probability p, else 1.

    On the CPU each value draws 16 bits, where torch draws a double: p is rounded to the next
    multiple of 2^-16, and the mean stays exact because the same p divides.
    """
    if not training or p == 0:
        return x
    if x.device.type != "cpu":
        return functional.dropout(x, p)
    return MaskedDropout.apply(x, round(p * LEVELS))


def keep(shape: torch.Size, dropped: int) -> Tensor:
    """Draw a mask that is true with probability 1 - dropped / 2^16."""
    words = torch.empty((shape.numel() + 3) // 4, dtype=torch.int64).random_(-(1 << 63), None)
    bits = words.view(torch.int16)[: shape.numel()]
    return (bits >= dropped - LEVELS // 2).view(shape)


class MaskedDropout(torch.autograd.Function):
    """y = x m s and dx = dy m s with s = 1 / (1 - p); m is stored as one byte a value."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, dropped: int) -> Tensor:
        """Any shape -> the same."""
        ctx.mask = keep(x.shape, dropped)
        ctx.scale = LEVELS / (LEVELS - dropped)
        return (x * ctx.mask).mul_(ctx.scale)

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor, None]:
        """Apply the same mask."""
        return (dy * ctx.mask).mul_(ctx.scale), None

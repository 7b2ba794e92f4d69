"""Apply dropout with random numbers that cost almost nothing on a CPU."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels import compiled

LEVELS = 1 << 16


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """Return x m / (1 - p), where m is 0 with probability p, else 1.

    On the CPU each value draws 16 bits instead of torch's double. p is rounded to the nearest
    multiple of 2^-16; the mean stays exact because the scale uses the rounded p.
    """
    if not training or p == 0:
        return x
    if x.device.type != "cpu":
        return functional.dropout(x, p)
    kernel = HashedDropout if compiled.supports(x) else MaskedDropout
    return kernel.apply(x, round(p * LEVELS))


def keep_mask(shape: torch.Size, dropped: int) -> Tensor:
    """Draw a mask that is true with probability 1 - dropped / 2^16."""
    words = torch.empty((shape.numel() + 3) // 4, dtype=torch.int64).random_(-(1 << 63), None)
    bits = words.view(torch.int16)[: shape.numel()]
    return (bits >= dropped - LEVELS // 2).view(shape)


class MaskedDropout(torch.autograd.Function):
    """Compute y = x m s and dx = dy m s with s = 1 / (1 - p); m takes one byte per value."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, dropped: int) -> Tensor:
        """Draw the mask and apply it: any shape -> same shape."""
        ctx.mask = keep_mask(x.shape, dropped)
        ctx.scale = LEVELS / (LEVELS - dropped)
        return (x * ctx.mask).mul_(ctx.scale)

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor, None]:
        """Apply the same mask."""
        return (dy * ctx.mask).mul_(ctx.scale), None


class HashedDropout(torch.autograd.Function):
    """Compute the same in one pass; a hash of a seed and the position gives the bits twice."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, dropped: int) -> Tensor:
        """Draw the seed and apply the mask: any shape -> same shape."""
        seed = int(torch.randint(-(1 << 63), (1 << 63) - 1, ()))
        ctx.options = dropped, LEVELS / (LEVELS - dropped), seed
        return drop(x, *ctx.options)

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor, None]:
        """Apply the same mask."""
        return drop(dy, *ctx.options), None


def drop(x: Tensor, dropped: int, scale: float, seed: int) -> Tensor:
    """Return x m scale, where m depends on the seed alone."""
    x = x.contiguous()
    y = torch.empty_like(x)
    compiled.run("dropout", x, y, dropped, scale, seed)
    return y

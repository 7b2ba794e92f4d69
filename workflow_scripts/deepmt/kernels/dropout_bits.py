"""Apply dropout, compiled on a CPU with random numbers that cost almost nothing."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels import compiled

LEVELS = 1 << 16


def dropout(x: Tensor, p: float, training: bool) -> Tensor:
    """Return x m / (1 - p), where m is 0 with probability p, else 1.

    A compiled operation takes 16 bits for each value, where torch draws a double. p is rounded to
    the nearest multiple of 2^-16; the mean stays exact because the scale uses the rounded p.
    """
    if not training or p == 0:
        return x
    if compiled.supports(x):
        return HashedDropout.apply(x, p)
    return functional.dropout(x, p)


def drawn(p: float) -> tuple[int, float, int]:
    """Return what a mask is made of: how many of LEVELS it drops, its factor, and a seed."""
    dropped = round(p * LEVELS)
    seed = int(torch.randint(-(1 << 63), (1 << 63) - 1, ())) if dropped else 0
    return dropped, LEVELS / (LEVELS - dropped), seed


class HashedDropout(torch.autograd.Function):
    """Compute y = x m s and dx = dy m s with s = 1 / (1 - p) in one pass each.

    A hash of a seed and the position gives the bits of m twice.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, p: float) -> Tensor:
        """Draw the seed and apply the mask: any shape -> same shape."""
        ctx.options = drawn(p)
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

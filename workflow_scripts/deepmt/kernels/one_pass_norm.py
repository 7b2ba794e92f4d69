"""Compute layer normalisation and its gradients in one pass each."""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels import compiled

BLOCKS = 8
"""Blocks of rows whose gradients of gain and bias are added up apart."""


def layer_norm(x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    """Return (x - mean) / sqrt(variance + e) gain + bias over the last dimension: [..., D].

    In float32, torch's own operator is at least as fast.
    """
    if x.dtype == torch.bfloat16 and gain.dtype == torch.float32 and compiled.supports(x):
        return OnePassNorm.apply(x, gain, bias, epsilon)
    return functional.layer_norm(x, gain.shape, gain, bias, epsilon)


class OnePassNorm(torch.autograd.Function):
    """Compute y and, with n = (x - mean) / sqrt(variance + e), all gradients.

    dx = (h - mean(h) - n mean(h n)) / sqrt(variance + e) with h = dy gain; dgain = sum dy n and
    dbias = sum dy over all rows.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> Tensor:
        """Normalise rows: [..., D], [D], [D] -> [..., D]."""
        x = x.contiguous()
        y, rows = torch.empty_like(x), x.numel() // len(gain)
        means, inverses = gain.new_empty(2, rows)
        compiled.run("layer_norm", x, gain, bias, y, means, inverses, epsilon)
        ctx.save_for_backward(x, gain, means, inverses)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of x, gain and bias."""
        x, gain, means, inverses = ctx.saved_tensors
        dx, dy = torch.empty_like(x), dy.contiguous()
        sums = gain.new_zeros(2, BLOCKS, len(gain))
        compiled.run("layer_norm_gradient", x, dy, gain, means, inverses, dx, *sums)
        return dx, *sums.sum(1), None

"""The product of a linear layer by oneDNN, twice as fast as torch's on AMD's processors.

torch leaves float32 products to MKL, which uses half of what such a processor can do; oneDNN, which
comes with torch as well, uses all of it.
"""

from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

WORTH_IT = 1 << 20
"""Multiplications of a product; oneDNN's overhead exceeds its gain below."""


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """x W^T + b: [..., I], [O, I], [O] -> [..., O]."""
    if not onednn_pays(x, weight):
        return functional.linear(x, weight, bias)
    multiply = OneDnnLinear.apply if torch.is_grad_enabled() else product
    rows = x.reshape(-1, x.size(-1))
    y = multiply(of_few_shapes(rows), weight, bias)[: len(rows)]
    return y.view(*x.shape[:-1], -1)


def onednn_pays(x: Tensor, weight: Tensor) -> bool:
    """Return whether this is a float32 product on an AMD processor, and not too small."""
    return (
        x.dtype == weight.dtype == torch.float32
        and x.device.type == "cpu"
        and x.numel() * weight.size(0) >= WORTH_IT
        and mkl_is_slow()
        and not torch.is_autocast_enabled("cpu")
    )


@cache
def mkl_is_slow() -> bool:
    """Return whether this is an AMD processor, where MKL keeps to older instructions."""
    cpuinfo = Path("/proc/cpuinfo")
    amd = cpuinfo.exists() and "AuthenticAMD" in cpuinfo.read_text()
    return amd and torch.backends.mkldnn.is_available()


def of_few_shapes(x: Tensor) -> Tensor:
    """Add at most an eighth more rows, of zeros, so that their number is k 2^n with 8 <= k < 16.

    oneDNN makes a kernel for every new shape, in a millisecond or two, and keeps 1,024 of them; a
    batch has another number of rows nearly every time.
    """
    rows = len(x)
    short = -rows % (1 << max(rows.bit_length() - 4, 0))
    return functional.pad(x, (0, 0, 0, short)) if short else x


def product(a: Tensor, b: Tensor, bias: Tensor | None = None) -> Tensor:
    """a b^T + bias: [M, K], [N, K] -> [M, N]; either may be a transposed view."""
    return torch.ops.mkldnn._linear_pointwise(a, b, bias, "none", [], "")


class OneDnnLinear(torch.autograd.Function):
    """The product and its gradients: dx = dy W, dW = dy^T x, db = sum dy."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """[M, I], [O, I], [O] -> [M, O]."""
        ctx.save_for_backward(x, weight)
        return product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """Compute the gradients that are needed."""
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        return (
            product(dy, weight.t()) if of_x else None,
            of_weights(dy, x) if of_weight else None,
            dy.sum(0) if of_bias else None,
        )


def of_weights(dy: Tensor, x: Tensor) -> Tensor:
    """dy^T x: [M, O], [M, I] -> [O, I]; oneDNN copies its first factor: the narrow one here."""
    return product(dy.t(), x.t()) if dy.size(1) <= x.size(1) else product(x.t(), dy.t()).t()

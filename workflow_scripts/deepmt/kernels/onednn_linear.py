"""Compute linear layers by oneDNN, twice as fast as torch's default on AMD with AVX-512.

torch computes float32 products with MKL, which uses AVX2 alone on processors that are not Intel's;
oneDNN, which comes with torch as well, uses all that there is.
"""

from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

MIN_MULTIPLICATIONS = 1 << 20
"""Multiplications in a product below which oneDNN's overhead exceeds its gain."""


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return x W^T + b: [..., I], [O, I], [O] -> [..., O]."""
    if not onednn_is_faster(x, weight):
        return functional.linear(x, weight, bias)
    multiply = OneDnnLinear.apply if torch.is_grad_enabled() else product
    rows = x.reshape(-1, x.size(-1))
    y = multiply(pad_rows(rows), weight, bias)[: len(rows)]
    return y.view(*x.shape[:-1], -1)


def onednn_is_faster(x: Tensor, weight: Tensor) -> bool:
    """Check if this is a float32 product on such a processor, and large enough."""
    return (
        x.dtype == weight.dtype == torch.float32
        and x.device.type == "cpu"
        and x.numel() * weight.size(0) >= MIN_MULTIPLICATIONS
        and mkl_is_slow()
        and not torch.is_autocast_enabled("cpu")
    )


@cache
def mkl_is_slow() -> bool:
    """Check if this is an AMD processor with AVX-512, which MKL leaves unused."""
    cpuinfo = Path("/proc/cpuinfo")
    known = cpuinfo.read_text() if cpuinfo.exists() else ""
    amd = "AuthenticAMD" in known and " avx512f" in known
    return amd and torch.backends.mkldnn.is_available()


def pad_rows(x: Tensor) -> Tensor:
    """Pad with rows of zeros, an eighth at most, to k 2^n rows with 8 <= k < 16.

    oneDNN compiles a kernel for every new shape, in one or two milliseconds, and caches 1,024 of
    them; nearly every batch has a different number of rows.
    """
    rows = len(x)
    short = -rows % (1 << max(rows.bit_length() - 4, 0))
    return functional.pad(x, (0, 0, 0, short)) if short else x


def product(a: Tensor, b: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return a b^T + bias: [M, K], [N, K] -> [M, N]; either may be a transposed view."""
    return torch.ops.mkldnn._linear_pointwise(a, b, bias, "none", [], "")


class OneDnnLinear(torch.autograd.Function):
    """Compute x W^T + b and its gradients: dx = dy W, dW = dy^T x, db = sum dy."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Return x W^T + b: [M, I], [O, I], [O] -> [M, O]."""
        ctx.save_for_backward(x, weight)
        return product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """Return the gradients that are needed."""
        x, weight = ctx.saved_tensors
        needs_dx, needs_dw, needs_db = ctx.needs_input_grad
        return (
            product(dy, weight.t()) if needs_dx else None,
            weight_gradient(dy, x) if needs_dw else None,
            dy.sum(0) if needs_db else None,
        )


def weight_gradient(dy: Tensor, x: Tensor) -> Tensor:
    """Return dy^T x: [M, O], [M, I] -> [O, I]; oneDNN copies the first factor, so it is narrow."""
    return product(dy.t(), x.t()) if dy.size(1) <= x.size(1) else product(x.t(), dy.t()).t()

"""Compute linear layers by the fastest form for each product: tiles, oneDNN or torch's default.

oneDNN adds the bias and takes max(0, y) while it writes y. It serves bfloat16 on processors without
AMX, and float32 on AMD processors with AVX-512, where torch's default, MKL, uses AVX2 alone.
"""

from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels import compiled, tiled_linear
from deepmt.kernels.compiled import padded

MIN_MULTIPLICATIONS = 1 << 20
"""Multiplications in a product below which oneDNN's overhead exceeds its gain."""


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return x W^T + b: [..., I], [O, I], [O] -> [..., O]."""
    if tiled_linear.supports(x, weight):
        return tiled_linear.TiledLinear.apply(x, weight, bias, False)
    if not onednn_is_faster(x, weight):
        return functional.linear(x, weight, bias)
    return by_onednn(x, weight, bias, "none")


def rectified_linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return max(0, x W^T + b): [..., I], [O, I], [O] -> [..., O]."""
    if tiled_linear.supports(x, weight):
        return tiled_linear.TiledLinear.apply(x, weight, bias, True)
    if not onednn_is_faster(x, weight):
        return torch.relu(functional.linear(x, weight, bias))
    return by_onednn(x, weight, bias, "relu")


def onednn_is_faster(x: Tensor, weight: Tensor) -> bool:
    """Check if oneDNN is faster on this processor for a product of this type and size."""
    if x.dtype != weight.dtype or x.device.type != "cpu":
        return False
    if x.dtype == torch.bfloat16:
        faster = torch.is_grad_enabled()
    else:
        faster = x.dtype == torch.float32 and mkl_is_slow()
        faster = faster and not torch.is_autocast_enabled("cpu")
    return faster and x.numel() * weight.size(0) >= MIN_MULTIPLICATIONS


@cache
def mkl_is_slow() -> bool:
    """Check if this is an AMD processor with AVX-512, which MKL leaves unused."""
    known = compiled.read("/proc/cpuinfo")
    amd = "AuthenticAMD" in known and " avx512f" in known
    return amd and torch.backends.mkldnn.is_available()


def by_onednn(x: Tensor, weight: Tensor, bias: Tensor | None, activation: str) -> Tensor:
    """Return activation(x W^T + b): [..., I], [O, I], [O] -> [..., O]."""
    multiply = OneDnnLinear.apply if torch.is_grad_enabled() else product
    y = multiply(x.reshape(-1, x.size(-1)), weight, bias, activation)
    return y.view(*x.shape[:-1], -1)


def product(a: Tensor, b: Tensor, bias: Tensor | None = None, activation: str = "none") -> Tensor:
    """Return activation(a b^T + bias): [M, K], [N, K] -> [M, N]; b may be a transposed view."""
    y = torch.ops.mkldnn._linear_pointwise(pad_rows(a), b, bias, activation, [], "")
    return y[: len(a)]


def pad_rows(x: Tensor) -> Tensor:
    """Pad to `padded` rows, with any values: a view if the memory of x has room for them.

    oneDNN compiles a kernel for every new shape, in two to five milliseconds, and caches 1,024 of
    them; nearly every batch has a different number of rows.
    """
    rows, width = x.shape
    more = padded(rows)
    if more == rows:
        return x
    room = x.untyped_storage().nbytes() // x.element_size() - x.storage_offset()
    if x.is_contiguous() and more * width <= room:
        return x.as_strided((more, width), (width, 1))
    wide = x.new_empty(more, width)
    wide[:rows] = x
    return wide


class OneDnnLinear(torch.autograd.Function):
    """Compute y = activation(x W^T + b) and its gradients.

    With dz = dy, but 0 where the activation cut: dx = dz W, dW = dz^T x, db = sum dz. The last two
    are added to the float32 gradients of `WorkingCopy.masters` if W and b are its copies.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, activation: str
    ) -> Tensor:
        """Return y: [M, I], [O, I], [O] -> [M, O]."""
        y = product(x, weight, bias, activation)
        ctx.save_for_backward(x, weight, y if activation == "relu" else None)
        ctx.masters = getattr(weight, "master", None), getattr(bias, "master", None)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients that are needed."""
        x, weight, y = ctx.saved_tensors
        needs_dx, needs_dw, needs_db, _ = ctx.needs_input_grad
        dz = gradients[0].contiguous()
        if y is not None:
            dz = rectified_gradient(dz, y)
        master, bias_master = ctx.masters
        dw = db = None
        if master is not None:
            master.grad.add_(dz.t() @ x)
        elif needs_dw:
            dw = weight_gradient(dz, x)
        if bias_master is not None:
            add_rows(bias_master.grad, dz)
        elif needs_db:
            db = dz.sum(0)
        return product(dz, weight.t()) if needs_dx else None, dw, db, None


def weight_gradient(dy: Tensor, x: Tensor) -> Tensor:
    """Return dy^T x: [M, O], [M, I] -> [O, I]; oneDNN copies the first factor, so it is narrow."""
    return product(dy.t(), x.t()) if dy.size(1) <= x.size(1) else product(x.t(), dy.t()).t()


def rectified_gradient(dy: Tensor, y: Tensor) -> Tensor:
    """Return dy, but 0 where y is 0."""
    if not compiled.take(y):
        return dy * (y > 0)
    dz = compiled.empty_like(dy)
    compiled.run("rectified_gradient", y, dy, dz, y.numel())
    return dz


def add_rows(total: Tensor, rows: Tensor) -> None:
    """Add the sum of all rows: [D] += [M, D]."""
    if compiled.take(rows):
        compiled.run("add_rows", rows, total, *rows.shape)
    else:
        total.add_(rows.sum(0))

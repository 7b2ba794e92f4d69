"""Compute linear layers by the faster one of torch's libraries.

torch multiplies bfloat16 by oneDNN, but float32 by MKL. MKL is the faster one except on processors
whose AVX-512 it does not use: those of AMD. docs/speed.md has the measured times.
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels import compiled

MIN_MULTIPLICATIONS = 1 << 24
"""Multiplications of float32 numbers in a product below which MKL's overhead is smaller."""
USUAL_ROWS = 128
"""Rows of a product in a search, for which weights are packed; others are multiplied as well."""


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return x W^T + b: [..., I], [O, I], [O] -> [..., O]."""
    return multiply(x, weight, bias, rectify=False)


def rectified_linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return max(0, x W^T + b): [..., I], [O, I], [O] -> [..., O]."""
    return multiply(x, weight, bias, rectify=True)


def multiply(x: Tensor, weight: Tensor, bias: Tensor | None, *, rectify: bool) -> Tensor:
    """Return x W^T + b, or max(0, x W^T + b), by the faster library."""
    rows = x.reshape(-1, x.size(-1))
    if trains(x, weight):
        return TrainedLinear.apply(rows, weight, bias, rectify).view(*x.shape[:-1], -1)
    if not torch.is_grad_enabled() and onednn_is_faster(x, weight):
        y = in_few_shapes(rows, weight, bias, "relu" if rectify else "none")
        return y.view(*x.shape[:-1], -1)
    y = functional.linear(x, weight, bias)
    return torch.relu(y) if rectify else y


def trains(x: Tensor, weight: Tensor) -> bool:
    """Check if `TrainedLinear` computes a product: one of float32 numbers, in training."""
    return exact(x, weight) and compiled.supports(x)


def exact(x: Tensor, weight: Tensor) -> bool:
    """Check if a product is of float32 numbers."""
    numbers = x.dtype == weight.dtype == torch.float32
    return numbers and not torch.is_autocast_enabled("cpu")


def onednn_is_faster(x: Tensor, weight: Tensor) -> bool:
    """Check if oneDNN is faster than MKL: for large float32 products where MKL lacks AVX-512."""
    usable = x.device.type == "cpu" and compiled.mkl_leaves_avx512()
    return exact(x, weight) and usable and x.numel() * len(weight) >= MIN_MULTIPLICATIONS


class TrainedLinear(torch.autograd.Function):
    """Compute y = activation(x W^T + b) and its gradients.

    With dz = dy, but 0 where y was cut: dx = dz W, dW = dz^T x, db = sum dz. The last two are added
    where the gradients of a parameter are kept, without a copy.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, rectify: bool) -> Tensor:
        """Return y: [M, I], [O, I], [O] -> [M, O]."""
        onednn = ctx.onednn = onednn_is_faster(x, weight)
        y = product(x, weight, onednn)
        if bias is not None:
            compiled.run("add_bias", y, bias, rectify)
        elif rectify:
            y.relu_()
        ctx.save_for_backward(x, weight, bias, y if rectify else None)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients that are needed and not kept elsewhere."""
        x, weight, bias, y = ctx.saved_tensors
        dz = dy = dy.contiguous()
        needs_dx, needs_dw, needs_db, _ = ctx.needs_input_grad
        db = dw = None
        if y is not None or needs_db:
            dz = dy if y is None else torch.empty_like(dy)
            sums = kept(bias) if needs_db else None
            db = dy.new_zeros(dy.size(1)) if sums is None else sums
            compiled.run("bias_gradient", dy, y, None if y is None else dz, db)
            db = db if needs_db and sums is None else None
        if needs_dw and (total := kept(weight)) is not None and not ctx.onednn:
            total.addmm_(dz.t(), x)
        elif needs_dw:
            dw = weight_gradient(dz, x, ctx.onednn)
        dx = product(dz, weight.t(), ctx.onednn) if needs_dx else None
        return dx, dw, db, None


def kept(parameter: Tensor) -> Tensor | None:
    """Return the sum of the gradients of a parameter, or None if nothing keeps it."""
    return parameter.grad if parameter.is_leaf else None


def in_few_shapes(x: Tensor, weight: Tensor, bias: Tensor | None, activation: str) -> Tensor:
    """Return activation(x W^T + b) for a number of rows that is rounded up.

    oneDNN compiles a kernel for every new shape, in one to five milliseconds, and nearly every step
    of a search has a different number of rows.
    """
    more = rounded_up(len(x)) - len(x)
    padded = functional.pad(x, (0, 0, 0, more)) if more else x
    return onednn_product(padded, weight, bias, activation)[: len(x)]


def product(a: Tensor, b: Tensor, onednn: bool) -> Tensor:
    """Return a b^T: [M, K], [N, K] -> [M, N]; both may be transposed views."""
    return onednn_product(a, b) if onednn else a @ b.t()


def onednn_product(
    a: Tensor, b: Tensor, bias: Tensor | None = None, activation: str = "none"
) -> Tensor:
    """Return activation(a b^T + bias): [M, K], [N, K] -> [M, N]; both may be transposed views."""
    return torch.ops.mkldnn._linear_pointwise(a, b, bias, activation, [], "")


def weight_gradient(dz: Tensor, x: Tensor, onednn: bool) -> Tensor:
    """Return dz^T x: [M, O], [M, I] -> [O, I]; oneDNN copies the first factor, so it is narrow."""
    if dz.size(1) <= x.size(1):
        return product(dz.t(), x.t(), onednn)
    return product(x.t(), dz.t(), onednn).t()


def packed(weight: Tensor) -> Tensor | None:
    """Return a copy of W in oneDNN's own layout for `in_few_shapes`, or None if that is slower."""
    if not onednn_is_faster(weight.new_empty(USUAL_ROWS, weight.size(1)), weight):
        return None
    return torch.ops.mkldnn._reorder_linear_weight(weight, USUAL_ROWS)


def rounded_up(rows: int) -> int:
    """Round a number of rows up, by an eighth at most, to k 2^n with 8 <= k < 16."""
    return rows + -rows % (1 << max(rows.bit_length() - 4, 0))

"""Compute bfloat16 linear layers and their gradients in one call each, on processors with AMX."""

from functools import cache
from typing import Any

import torch
from torch import Tensor

from deepmt.kernels import compiled


def supports(x: Tensor, weight: Tensor) -> bool:
    """Check if tiles compute the forward pass of these tensors: in training alone."""
    reduced = x.dtype == weight.dtype == torch.bfloat16
    return reduced and compiled.supports(x) and tiles_are_given()


@cache
def tiles_are_given() -> bool:
    """Check if the processor has tiles of bfloat16 and the operating system gives them."""
    request = getattr(compiled.library("bfloat16"), "request_tiles", None)
    return request is not None and request() == 0


class TiledLinear(torch.autograd.Function):
    """Compute y = x W^T + b, or max(0, y), and its gradients.

    With dz = dy, but 0 where y was cut: dx = dz W, dW = dz^T x, db = sum dz. The last two are added
    to the float32 gradients of `WorkingCopy.masters` if W and b are its copies.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, rectify: bool) -> Tensor:
        """Return y: [..., I], [O, I], [O] -> [..., O]."""
        x, weight = x.contiguous(), weight.contiguous()
        outputs, inputs = weight.shape
        y = x.new_empty(*x.shape[:-1], outputs)
        ctx.sizes = x.numel() // inputs, inputs, outputs
        compiled.run("linear", x, weight, bias, y, *ctx.sizes, rectify)
        ctx.save_for_backward(x, weight, bias, y if rectify else None)
        ctx.masters = getattr(weight, "master", None), getattr(bias, "master", None)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients that no master takes."""
        x, weight, bias, y = ctx.saved_tensors
        dx = torch.empty_like(x) if ctx.needs_input_grad[0] else None
        dw, db = map(float32_gradient, (weight, bias), ctx.masters)
        compiled.run("linear_gradient", x, weight, y, dy.contiguous(), dx, dw, db, *ctx.sizes)
        taken = [master is not None for master in ctx.masters]
        return dx, None if taken[0] else dw, None if taken[1] else db, None


def float32_gradient(parameter: Tensor | None, master: Tensor | None) -> Tensor | None:
    """Return the gradient of a parameter's master, or zeros without one."""
    if parameter is None or master is None:
        return None if parameter is None else torch.zeros_like(parameter, dtype=torch.float32)
    assert master.grad is not None
    return master.grad

"""Compute linear layers and their gradients in tiles, by one call each."""

from typing import Any

import torch
from torch import Tensor

from deepmt.kernels import compiled

MIN_MULTIPLICATIONS = 1 << 22
"""Multiplications of float32 numbers in a product below which MKL's overhead is smaller."""


def tiles_are_faster(x: Tensor, weight: Tensor) -> bool:
    """Check if tiles are the fastest form in training: in bfloat16, and in float32 on AMD."""
    if x.dtype != weight.dtype or not compiled.supports(x) or not compiled.has_tiles():
        return False
    large = x.numel() * len(weight) >= MIN_MULTIPLICATIONS
    exact = compiled.mkl_is_slow() and large and not torch.is_autocast_enabled("cpu")
    return x.dtype == torch.bfloat16 or exact


class TiledLinear(torch.autograd.Function):
    """Compute y = x W^T + b, or max(0, y), and its gradients.

    With dz = dy, but 0 where y was cut: dx = dz W, dW = dz^T x, db = sum dz. The last two are added
    to the float32 gradients of `WorkingCopy.masters` if W and b are its copies.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, rectify: bool) -> Tensor:
        """Return y: [..., I], [O, I], [O] -> [..., O]."""
        x, weight = x.contiguous(), weight.contiguous()
        y = x.new_empty(*x.shape[:-1], len(weight))
        compiled.run("linear", x, weight, bias, y, rectify)
        ctx.save_for_backward(x, weight, bias, y if rectify else None)
        ctx.masters = getattr(weight, "master", None), getattr(bias, "master", None)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients that are needed and that no master takes."""
        x, weight, bias, y = ctx.saved_tensors
        needs_dx, needs_dw, needs_db, _ = ctx.needs_input_grad
        dx = torch.empty_like(x) if needs_dx else None
        trained = weight if needs_dw else None, bias if needs_db else None
        dw, db = map(float32_gradient, trained, ctx.masters)
        compiled.run("linear_gradient", x, weight, y, dy.contiguous(), dx, dw, db)
        taken = [master is not None for master in ctx.masters]
        return dx, None if taken[0] else dw, None if taken[1] else db, None


def float32_gradient(parameter: Tensor | None, master: Tensor | None) -> Tensor | None:
    """Return the gradient of a parameter's master, or zeros without one."""
    if parameter is None or master is None:
        return None if parameter is None else torch.zeros_like(parameter, dtype=torch.float32)
    assert master.grad is not None
    return master.grad

"""Compute weighted residual connections and their gradients in one pass each."""

from typing import Any

import torch
from torch import Tensor

from deepmt.kernels import compiled


def weighted_residual(x: Tensor, update: Tensor, omega: Tensor) -> Tensor:
    """Return omega * x + update in the type of x: [..., D], [..., D], [D] -> [..., D]."""
    if compiled.supports(x) and update.dtype == x.dtype:
        return WeightedResidual.apply(x, update, omega)
    return (omega * x + update).to(x.dtype)


class WeightedResidual(torch.autograd.Function):
    """Compute y = omega * x + f; dx = omega * dy, df = dy, domega = sum dy x over all rows."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, update: Tensor, omega: Tensor) -> Tensor:
        """Return y: [..., D], [..., D], [D] -> [..., D]."""
        x = x.contiguous()
        y = torch.empty_like(x)
        compiled.run("weighted_residual", x, update.contiguous(), omega, y)
        ctx.save_for_backward(x, omega)
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:
        """Return the gradients of x, f and omega."""
        x, omega = ctx.saved_tensors
        dy, domega = gradients[0].contiguous(), torch.zeros_like(omega)
        dx = torch.empty_like(dy)
        compiled.run("weighted_residual_gradient", x, dy, omega, dx, domega)
        return dx, dy, domega

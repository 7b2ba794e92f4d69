"""Compute the gradient norm of each layer (Zhang 2019, Figure 1)."""

import torch
from torch import nn


def gradient_norms(model: nn.Module) -> dict[str, list[float]]:
    """Return the L2 norm of each layer's gradient by stack, from the lowest layer up."""
    return {
        stack: [
            float(torch.stack([p.grad.norm() for p in layer.parameters()]).norm())
            for layer in getattr(model, stack).layers
        ]
        for stack in ("encoder", "decoder")
    }

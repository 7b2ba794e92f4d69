"""How much of the gradient reaches each layer (Zhang 2019, Figure 1)."""

import torch
from torch import nn


def gradient_norms(model: nn.Module) -> dict[str, list[float]]:
    """L2 norm of the gradient of all parameters of a layer, by stack, from the lowest layer."""
    return {
        stack: [
            float(torch.stack([p.grad.norm() for p in layer.parameters()]).norm())
            for layer in getattr(model, stack).layers
        ]
        for stack in ("encoder", "decoder")
    }

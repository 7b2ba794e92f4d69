"""Sums of layers are taken in full precision, whatever the products of the layers are taken in."""

import torch
from torch import Tensor


def mix(weights: Tensor, layers: Tensor) -> Tensor:
    """weights @ layers, which autocast would round: [..., N], [N, X] -> [..., X]."""
    with torch.autocast(layers.device.type, enabled=False):
        return weights.to(layers.dtype) @ layers

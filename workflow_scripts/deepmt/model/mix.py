"""Sums of layers are taken in full precision, whatever the products of the layers are taken in."""

import torch
from torch import Tensor

BLOCK = 8192
"""Columns of a sum of many rows that stay in the processor's cache."""


def mix(weights: Tensor, layers: Tensor) -> Tensor:
    """weights @ layers, which autocast would round: [..., N], [N, X] -> [..., X]."""
    with torch.autocast(layers.device.type, enabled=False):
        return weights.to(layers.dtype) @ layers


@torch.no_grad()
def combine(weights: Tensor, layers: Tensor) -> Tensor:
    """The same for one row of weights, block by block: [N], [N, X] -> [X].

    One product of a row with a matrix uses two thirds of the bandwidth that its blocks use.
    """
    blocks = layers.size(1) // BLOCK
    whole = blocks * BLOCK
    out = layers.new_empty(layers.size(1))
    rows = weights.to(layers.dtype).expand(blocks, 1, -1)
    columns = layers[:, :whole].unflatten(1, (blocks, BLOCK)).transpose(0, 1)
    with torch.autocast(layers.device.type, enabled=False):
        torch.bmm(rows, columns, out=out[:whole].view(blocks, 1, BLOCK))
    out[whole:] = mix(weights, layers[:, whole:])
    return out

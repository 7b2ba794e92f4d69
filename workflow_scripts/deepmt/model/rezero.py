"""Implement the residual connection of ReZero (Bachlechner 2021)."""

import torch
from torch import Tensor, nn

from deepmt.model.sublayer_index import SublayerIndex
from deepmt.settings.spec import Spec


class ReZero(nn.Module):
    """Compute x + alpha F(x); the sublayers of a layer share alpha, as in the released code."""

    def __init__(self, alpha: nn.Parameter) -> None:
        super().__init__()
        self.alpha = alpha

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        """Combine input and update: [B, T, D] twice -> [B, T, D]."""
        return x + self.alpha * update


def residual(spec: Spec, index: SublayerIndex) -> ReZero:
    """Return the residual connection of one sublayer."""
    return ReZero(index.below[0].alpha if index.below else nn.Parameter(torch.zeros(())))

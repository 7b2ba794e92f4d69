"""Implement the weighted residual connection of ADMIN."""

import torch
from torch import Tensor, nn

from deepmt.model.sublayer_index import SublayerIndex
from deepmt.settings.spec import Spec


class Omega(nn.Module):
    """Compute omega * x + F(x) with one trained weight per channel (Liu 2020, section 3).

    Omega is 1 before profiling. The paper calls omega a constant; the released code trains it.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.omega = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        """Combine input and update: [B, T, D] twice -> [B, T, D]."""
        return (self.omega * x + update).to(x.dtype)


def residual(spec: Spec, index: SublayerIndex) -> Omega:
    """Return the residual connection of one sublayer."""
    return Omega(index.size.d_model)

"""The weighted residual connection of ADMIN."""

import torch
from torch import Tensor, nn

from deepmt.config.spec import Spec, Stack


class Omega(nn.Module):
    """omega * x + F(x) with one trained weight a channel: ADMIN (Liu 2020, section 3).

    Omega is 1 until profiled. The paper calls omega a constant; the released code trains it.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.omega = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        """[B, T, D] twice -> [B, T, D]."""
        return self.omega * x + update


def residual(spec: Spec, size: Stack) -> Omega:
    """Return the connection of one sublayer."""
    return Omega(size.d_model)

"""What a sublayer adds its update to."""

import torch
from torch import Tensor, nn


class Omega(nn.Module):
    """omega * x with one trained weight a channel: ADMIN (Liu 2020, section 3), 1 until profiled.

    The paper calls omega a constant; the released code trains it.
    """

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.omega = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        """[B, T, D] -> [B, T, D]."""
        return self.omega * x


class NoSkip(nn.Module):
    """Nothing: "Baseline - residuals" of Bapna 2018, Tables 1-4."""

    def forward(self, x: Tensor) -> Tensor:
        """[B, T, D] -> a zero that broadcasts."""
        return x.new_zeros(())

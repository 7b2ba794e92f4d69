"""Embed tokens and their positions."""

import math

import torch
from torch import Tensor, nn

from deepmt.model.dropout import Dropout


def sinusoids(positions: int, d_model: int) -> Tensor:
    """Return the sines, then cosines, of p / 10000^(k/(D/2-1)), k = 0..D/2-1: [positions, D]."""
    half = d_model // 2
    rates = torch.exp(torch.arange(half) * (-math.log(10000) / max(half - 1, 1)))
    angles = torch.arange(positions)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], -1)


class Embedding(nn.Module):
    """Compute x_p = sqrt(D) E[token_p] (+ b) + sinusoid(p + first), then apply dropout."""

    positions: Tensor

    def __init__(
        self, table: nn.Embedding, bias: nn.Parameter | None, first_position: int, dropout: float
    ) -> None:
        super().__init__()
        self.table = table
        self.bias = bias
        self.first_position = first_position
        self.dropout = Dropout(dropout)
        self.register_buffer("positions", torch.empty(0), persistent=False)

    def vectors(self, tokens: Tensor) -> Tensor:
        """Return sqrt(D) E[token] (+ b): [B, T] -> [B, T, D]."""
        x = self.table(tokens) * math.sqrt(self.table.embedding_dim)
        return x if self.bias is None else x + self.bias

    def add_positions(self, x: Tensor) -> Tensor:
        """Add the sinusoids of positions 0, 1, ... and apply dropout: [B, T, D]."""
        first = self.first_position
        return self.dropout(x + self._positions(first + x.size(1), x)[first:])

    def add_position_of_each(self, x: Tensor, positions: Tensor, last: int) -> Tensor:
        """Add the sinusoid of each row's 0-based position, at most `last`: [N, D]."""
        table = self._positions(self.first_position + last + 1, x)
        return self.dropout(x + table[self.first_position + positions])

    def _positions(self, needed: int, like: Tensor) -> Tensor:
        # The table grows by doubling: any length is allowed, and few tables are made.
        if self.positions.size(0) < needed or self.positions.dtype != like.dtype:
            size = max(512, 1 << (needed - 1).bit_length())
            self.positions = sinusoids(size, like.size(-1)).to(like)
        return self.positions[:needed]

    def forward(self, tokens: Tensor) -> Tensor:
        """Embed tokens with positions: [B, T] -> [B, T, D]."""
        return self.add_positions(self.vectors(tokens))

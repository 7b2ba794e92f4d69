"""Implement multi-head additive attention (Chen 2018, RNMT+)."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.model.dropout import Dropout
from deepmt.model.linear import Linear


def split(x: Tensor, heads: int) -> Tensor:
    """Split channels into heads: [B, T, D] -> [B, H, T, K]."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join(x: Tensor) -> Tensor:
    """Join the heads: [B, H, T, K] -> [B, T, D]."""
    return x.transpose(1, 2).flatten(2)


class AdditiveAttention(nn.Module):
    """Compute sum_s softmax_s(v . tanh(A k_s + B q)) k_s in each head.

    k = memory W_s + b_s and q = m W_q + b_q. The keys are also the values; the heads share A, B
    and v (lingvo), and their joined output is not projected.
    """

    def __init__(self, d_model: int, d_memory: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = Dropout(dropout)
        self.source = Linear(d_memory, d_model)
        self.query = Linear(d_model, d_model)
        self.of_key = Linear(d_model // heads, d_model // heads, bias=False)
        self.of_query = Linear(d_model // heads, d_model // heads, bias=False)
        self.score = Linear(d_model // heads, 1, bias=False)

    def project(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Return A k_s and k_s: [B, S, D] -> [B, H, S, K] each."""
        value = split(self.source(memory), self.heads)
        return self.of_key(value), value

    def forward(self, m: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """Attend with the queries m: [B, Q, D] -> [B, Q, D].

        `mask` [B, 1, 1, S] is true at real source tokens.
        """
        query = self.of_query(split(self.query(m), self.heads))
        hidden = torch.tanh(key[:, :, None] + query[:, :, :, None])  # B H Q S K
        scores = torch.where(mask, self.score(hidden)[..., 0], -math.inf)
        return join(self.dropout(functional.softmax(scores, -1)) @ value)

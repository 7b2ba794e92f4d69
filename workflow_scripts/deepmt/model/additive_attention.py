"""Additive attention with several heads (Chen 2018, RNMT+)."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.model.attention import join, split
from deepmt.model.dropout import Dropout
from deepmt.model.linear import Linear


class AdditiveAttention(nn.Module):
    """sum_s softmax_s(v . tanh(A k_s + B q)) k_s by head, k = memory W_s + b_s, q = m W_q + b_q.

    The keys are the values; A, B and v are shared by the heads (lingvo); there is no projection of
    the joined heads.
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
        """[B, S, D] -> A k_s and k_s, [B, H, S, K] each."""
        value = split(self.source(memory), self.heads)
        return self.of_key(value), value

    def forward(self, m: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """Queries [B, Q, D] -> contexts [B, Q, D]; `mask` [B, 1, 1, S] is true where real."""
        query = self.of_query(split(self.query(m), self.heads))
        hidden = torch.tanh(key[:, :, None] + query[:, :, :, None])  # B H Q S K
        scores = torch.where(mask, self.score(hidden)[..., 0], -math.inf)
        return join(self.dropout(functional.softmax(scores, -1)) @ value)

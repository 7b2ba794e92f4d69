"""Multi-head softmax attention (Vaswani 2017, section 3.2), to itself or to a memory."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.model.dropout import dropout as dropped
from deepmt.model.linear import Linear
from deepmt.model.state import Entries, Moment

FEW_QUERIES = 16
"""Queries a sentence for which torch's fused attention on a CPU is slower than its parts."""
REGISTER = 16
"""Numbers in a vector register: torch takes ten times as long for a softmax over fewer."""


class LearnedScale(nn.Module):
    """q * softplus(w) / softplus(0), one w a head channel shared by the heads (lingvo)."""

    def __init__(self, d_head: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d_head))

    def forward(self, query: Tensor) -> Tensor:
        """[B, H, T, K] -> [B, H, T, K]."""
        return query * (functional.softplus(self.weight) / math.log(2))


def split(x: Tensor, heads: int) -> Tensor:
    """[B, T, D] -> [B, H, T, K]."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join(x: Tensor) -> Tensor:
    """[B, H, T, K] -> [B, T, D]."""
    return x.transpose(1, 2).flatten(2)


def attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float
) -> Tensor:
    """softmax(Q K^T / sqrt(K)) V with dropout on the weights: [B, H, T, K] each -> [B, T, D].

    `mask` [B, 1, 1 or T, S] is true where a query may see a key; without one, position t sees
    positions up to t. torch's fused attention knows neither dropout nor fast bfloat16 on a CPU, and
    is slow with few queries: there the equation is written out.
    """
    slow = dropout or query.dtype == torch.bfloat16 or query.size(2) <= FEW_QUERIES
    if query.device.type == "cpu" and slow:
        return join(written_out(query, key, value, mask, dropout))
    return join(
        functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, is_causal=mask is None, dropout_p=dropout
        )
    )


def written_out(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float
) -> Tensor:
    """The same by its parts: [B, H, T, K]."""
    if mask is None:
        mask = query.new_ones(query.size(2), key.size(2), dtype=torch.bool).tril()
    if (short := REGISTER - key.size(2)) > 0:
        key, value = (functional.pad(x, (0, 0, 0, short)) for x in (key, value))
        mask = functional.pad(mask, (0, short))
    unseen = query.new_zeros(mask.shape).masked_fill_(~mask, -math.inf)
    scores = (query * query.size(-1) ** -0.5) @ key.transpose(-1, -2)
    shares = functional.softmax(scores + unseen, -1)
    return dropped(shares, dropout, training=True).to(value.dtype) @ value


class SelfAttention(nn.Module):
    """softmax(Q K^T / sqrt(K)) V W_o with one fused projection [Q; K; V] = x W + b."""

    projected = True

    def __init__(self, d_model: int, heads: int, dropout: float, scale: nn.Module) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.query_key_value = Linear(d_model, 3 * d_model)
        self.out = Linear(d_model, d_model)
        self.scale = scale

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """[B, T, D] -> [B, T, D].

        `mask` [B, 1, 1, T] is true where keys are real; without one, position t sees positions
        up to t only (the decoder, where padding on the right is never seen by real positions).
        """
        query, key, value = (split(p, self.heads) for p in self.query_key_value(x).chunk(3, -1))
        dropout = self.dropout if self.training else 0.0
        return self.out(attend(self.scale(query), key, value, mask, dropout))

    def start(self, sentences: int, beam: int, like: Tensor) -> Entries:
        """Keys and values of no position yet."""
        return Entries(sentences, self.heads, self.out.in_features // self.heads, like)

    def step(self, x: Tensor, cache: Entries, moment: Moment) -> Tensor:
        """[N, 1, D] -> [N, 1, D]; the rows of one sentence are queries to all its entries."""
        beams = self.query_key_value(x).view(*moment.entry.shape, 3, self.heads, -1)
        query, key, value = beams.unbind(2)  # S N/S H K
        keys, values = cache.add(key, value, moment)
        context = attend(self.scale(query.transpose(1, 2)), keys, values, moment.own, 0.0)
        return self.out(context.view_as(x))


class CrossAttention(nn.Module):
    """softmax(Q K^T / sqrt(K)) V W_o with Q = x W_q + b_q and [K; V] = memory W + b."""

    def __init__(
        self, d_model: int, d_memory: int, heads: int, dropout: float, scale: nn.Module
    ) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.query = Linear(d_model, d_model)
        self.key_value = Linear(d_memory, 2 * d_model)
        self.out = Linear(d_model, d_model)
        self.scale = scale

    def project(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """[B, S, D] -> keys and values [B, H, S, K]."""
        key, value = self.key_value(memory).chunk(2, -1)
        return split(key, self.heads), split(value, self.heads)

    def values(self, x: Tensor) -> Tensor:
        """x W_v + b_v, the value map alone: [B, T, D] -> [B, T, D]."""
        return self.key_value.part(x, slice(self.out.in_features, None))

    def context(self, x: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """What W_o is applied to: [B, T, D]; `mask` [B, 1, 1, S] is true where keys are real."""
        query = self.scale(split(self.query(x), self.heads))
        return attend(query, key, value, mask, self.dropout if self.training else 0.0)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """[B, T, D], memory [B, S, D] -> [B, T, D]."""
        return self.out(self.context(x, *self.project(memory), mask))

    def step(self, x: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """[N, 1, D] -> [N, 1, D]; the hypotheses of one sentence are queries to one memory."""
        return self.out(self.step_context(x, key, value, mask))

    def step_context(self, x: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """`context` for one position of each hypothesis, so that no memory is ever repeated."""
        beams = x.view(key.size(0), -1, x.size(-1))  # B N/B D
        return self.context(beams, key, value, mask).view_as(x)

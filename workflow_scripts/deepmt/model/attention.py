"""Implement multi-head self-attention and cross-attention (Vaswani 2017, section 3.2)."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.kernels import fused_attention
from deepmt.kernels.fast_form import fast_form
from deepmt.kernels.key_value_cache import DecodeStep, KeyValueCache
from deepmt.model.dropout import dropout as dropped
from deepmt.model.linear import Linear
from deepmt.settings.spec import Spec, Stack


class LearnedScale(nn.Module):
    """Scale queries by softplus(w) / softplus(0); the heads share one w per channel (lingvo)."""

    def __init__(self, d_head: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d_head))

    def forward(self, query: Tensor) -> Tensor:
        """Return the scaled queries: [..., K] -> [..., K]."""
        scaled = query * (functional.softplus(self.weight) / math.log(2))
        return scaled.to(query.dtype)


def in_parts(x: Tensor, parts: int, heads: int) -> Tensor:
    """Split channels into parts of heads: [B, T, P D] -> [B, T, P, H, K]."""
    return x.unflatten(-1, (parts, heads, -1))


@fast_form(fused_attention.attend)
def attend(queries: Tensor, entries: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
    """Compute softmax(Q K^T / sqrt(K)) V with dropout on the weights.

    Q is the first part of queries [B, T, P, H, K], K and V are the last two of entries
    [B, S, E, H, K], which may be the same tensor; -> [B, T, H, K]. `mask` [B, 1, 1 or T, S] is true
    where a query may attend to a key; without a mask, position t attends to positions up to t.
    """
    query = queries[:, :, 0].transpose(1, 2)
    key, value = entries[:, :, -2:].permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool).tril()
    weights = functional.softmax(scores.masked_fill(~mask, -math.inf), -1)
    return (dropped(weights, dropout, training=True) @ value).transpose(1, 2)


@fast_form(fused_attention.as_addend)
def shared_mask(mask: Tensor, like: Tensor) -> Tensor:
    """Return a mask in the form in which many calls of `attend` share it."""
    return mask


@fast_form(fused_attention.attend_to_entries)
def attend_to_entries(query: Tensor, entries: Tensor, mask: Tensor) -> Tensor:
    """Compute attention of n hypotheses to the cache entries of their sentence.

    query [S, n, H, K], entries [S, E', 2, H, K], mask [S, 1, 1 or n, E], E <= E' -> [S, n, H, K].
    """
    return attend(query[:, :, None], entries[:, : mask.size(-1)], mask, 0.0)


class SelfAttention(nn.Module):
    """Apply self-attention, softmax(Q K^T / sqrt(K)) V W_o with the fused [Q; K; V] = x W + b."""

    projected = True

    def __init__(self, d_model: int, heads: int, dropout: float, scale: nn.Module) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.query_key_value = Linear(d_model, 3 * d_model)
        self.out = Linear(d_model, d_model)
        self.scale = scale

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Attend to all positions that the mask allows: [B, T, D] -> [B, T, D].

        `mask` [B, 1, 1, T] is true at real keys. Without a mask, position t attends to positions
        up to t: in the decoder, real positions then never attend to the padding on their right.
        """
        parts = in_parts(self.query_key_value(x), 3, self.heads)
        # One tensor for all has one gradient.
        queries = parts if isinstance(self.scale, nn.Identity) else self.scale(parts[:, :, :1])
        dropout = self.dropout if self.training else 0.0
        return self.out(attend(queries, parts, mask, dropout).flatten(2))

    def start(self, sentences: int, beam: int, like: Tensor) -> KeyValueCache:
        """Return an empty cache."""
        return KeyValueCache(sentences, self.heads, self.out.in_features // self.heads, like)

    def step(self, x: Tensor, cache: KeyValueCache, step: DecodeStep) -> Tensor:
        """Compute one new position: [N, 1, D] -> [N, 1, D].

        The rows of one sentence are queries to all cache entries of that sentence.
        """
        parts = self.query_key_value(x).view(*step.entry.shape, 3, self.heads, -1)
        entries = cache.add(parts[:, :, 1:], step)
        context = attend_to_entries(self.scale(parts[:, :, 0]), entries, step.mask)
        return self.out(context.reshape(x.shape))


class CrossAttention(nn.Module):
    """Apply cross-attention, softmax(Q K^T / sqrt(K)) V W_o.

    Q = x W_q + b_q and [K; V] = memory W + b.
    """

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

    def entries(self, memory: Tensor) -> Tensor:
        """Return keys and values: [B, S, D] -> [B, S, 2, H, K]."""
        return in_parts(self.key_value(memory), 2, self.heads)

    def values(self, x: Tensor) -> Tensor:
        """Return x W_v + b_v: [B, T, D] -> [B, T, D]."""
        return self.key_value.part(x, slice(self.out.in_features, None))

    def context(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """Return the joined heads before W_o, [B, T, D]; `mask` [B, 1, 1, S] marks real keys."""
        query = self.scale(in_parts(self.query(x), 1, self.heads))
        dropout = self.dropout if self.training else 0.0
        return attend(query, self.entries(memory), mask, dropout).flatten(2)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """Attend to the encoder output: [B, T, D], memory [B, S, D] -> [B, T, D]."""
        return self.out(self.context(x, memory, mask))

    def step(self, x: Tensor, entries: Tensor, mask: Tensor) -> Tensor:
        """Compute one new position of each hypothesis: [N, 1, D] -> [N, 1, D]."""
        return self.out(self.step_context(x, entries, mask))

    def step_context(self, x: Tensor, entries: Tensor, mask: Tensor) -> Tensor:
        """Return the joined heads before W_o for one position of each hypothesis.

        The hypotheses of a sentence share its entries, which are never copied.
        """
        query = self.query(x).view(len(entries), -1, *entries.shape[3:])
        return attend_to_entries(self.scale(query), entries, mask).reshape(x.shape)


def scale(spec: Spec, size: Stack) -> nn.Module:
    """Return the module that scales queries, in addition to 1/sqrt(K)."""
    if spec.model.query_scale == "learned":
        return LearnedScale(size.d_model // size.heads)
    return nn.Identity()


def self_attention(spec: Spec, size: Stack) -> SelfAttention:
    """Return softmax self-attention for a stack of this size."""
    dropout = spec.training.attention_dropout
    return SelfAttention(size.d_model, size.heads, dropout, scale(spec, size))


def decoder_self_attention(spec: Spec, cross: CrossAttention) -> SelfAttention:
    """Return softmax self-attention for a decoder layer."""
    return self_attention(spec, spec.decoder)


def cross_attention(spec: Spec) -> CrossAttention:
    """Return cross-attention from a decoder layer to the encoder output."""
    size = spec.decoder
    dropout = spec.training.attention_dropout
    return CrossAttention(
        size.d_model, spec.encoder.d_model, size.heads, dropout, scale(spec, size)
    )

"""Compute softmax attention by the fastest way for the device, precision and shape."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels import compiled
from deepmt.kernels.dropout_bits import drawn

ALIGNED = 8
"""Numbers to whose multiples the rows of a mask are aligned on a GPU."""


def attend(queries: Tensor, entries: Tensor, mask: Tensor | None, dropout: float) -> Tensor:
    """Compute attention in one pass each way on a CPU, else by torch.

    queries [B, T, P, H, K], entries [B, S, E, H, K] -> [B, T, H, K].
    """
    if compiled.take(queries) and (mask is None or mask.size(2) == 1):
        return OnePassAttention.apply(queries, entries, mask, dropout)
    if queries is entries:
        query, key, value = queries.unbind(2)
    else:
        query, (*_, key, value) = queries.select(2, 0), entries.unbind(2)
    query, key, value = (part.transpose(1, 2) for part in (query, key, value))
    y = functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=mask is None, dropout_p=dropout
    )
    return y.transpose(1, 2)


def as_addend(mask: Tensor, like: Tensor) -> Tensor:
    """Return a mask for many calls of `attend` with queries `like`: on a GPU, 0 or -infinity.

    torch would compute this in every call, and copy rows that do not start at multiples of ALIGNED.
    """
    if mask.device.type == "cpu":
        return mask.contiguous()
    keys = mask.size(-1)
    hidden = functional.pad(~mask, (0, -keys % ALIGNED))
    addend = torch.zeros(hidden.shape, dtype=like.dtype, device=like.device)
    return addend.masked_fill_(hidden, -math.inf)[..., :keys]


def attend_to_entries(query: Tensor, entries: Tensor, mask: Tensor) -> Tensor:
    """Compute attention of n hypotheses to the cache entries of their sentence.

    query [S, n, H, K], entries [S, E', 2, H, K], mask [S, 1, 1 or n, E], E <= E' -> [S, n, H, K].

    Raises:
        RuntimeError: the mask has more entries than the cache.
    """
    seen = mask.size(-1)
    if seen > entries.size(1):
        raise RuntimeError(f"the mask has {seen} entries, the cache {entries.size(1)}")
    if torch.is_grad_enabled() or not compiled.take(query):
        key, value = entries[:, :seen].permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(query.transpose(1, 2), key, value, mask)
        return y.transpose(1, 2)
    y = query.new_empty(query.shape)
    compiled.run("attend", query.contiguous(), entries, mask[:, 0], y, query.size(-1) ** -0.5)
    return y


class OnePassAttention(torch.autograd.Function):
    """Compute y = (w m) V with w = softmax(Q K^T / sqrt(K)), and its gradients, head by head.

    With g = (dy V^T) m: ds = w (g - w.g) / sqrt(K), dQ = ds K, dK = ds^T Q, dV = (w m)^T dy.
    """

    @staticmethod
    def forward(
        ctx: Any, queries: Tensor, entries: Tensor, mask: Tensor | None, dropout: float
    ) -> Tensor:
        """Return y [B, T, H, K]; `mask` [B, 1, 1, S].

        Raises:
            RuntimeError: the entries are no keys and values.
        """
        batch, count, _, heads, width = queries.shape
        if entries.size(2) < 2:
            raise RuntimeError(f"entries have {entries.size(2)} part, not keys and values")
        ctx.shared = queries is entries
        queries = queries.contiguous()
        entries = queries if ctx.shared else entries.contiguous()
        if mask is not None:
            mask = mask.expand(batch, 1, 1, -1).contiguous()
        weights = queries.new_empty(batch, heads, count, entries.size(1))
        y = queries.new_empty(batch, count, heads, width)
        ctx.options = width**-0.5, *drawn(dropout)
        compiled.run("attention", queries, entries, mask, weights, y, *ctx.options)
        ctx.save_for_backward(queries, entries, weights)
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of queries and entries, of which the first may be both."""
        queries, entries, weights = ctx.saved_tensors
        slopes = torch.empty_like(queries)
        others = slopes if ctx.shared else torch.zeros_like(entries)
        given = queries, entries, weights, dy.contiguous(), slopes, others
        compiled.run("attention_gradient", *given, *ctx.options)
        return slopes, None if ctx.shared else others, None, None

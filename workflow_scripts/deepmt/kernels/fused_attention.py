"""Compute softmax attention by the fastest way for the device, precision and shape."""

import math

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels.dropout_bits import dropout as dropped

FEW_QUERIES = 16
"""Queries per sentence up to which torch's fused attention is slower on a CPU."""
MIN_KEYS = 16
"""Numbers in a vector register; torch's softmax over fewer takes ten times as long."""


def attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float
) -> Tensor:
    """Compute softmax(Q K^T / sqrt(K)) V with dropout on the weights: [B, H, T, K] each -> same.

    On a CPU, torch's fused attention lacks dropout and fast bfloat16 and is slow with few queries;
    `unfused` replaces it there.
    """
    slow = dropout or query.dtype == torch.bfloat16 or query.size(2) <= FEW_QUERIES
    if query.device.type == "cpu" and slow:
        return unfused(query, key, value, mask, dropout)
    return functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=mask is None, dropout_p=dropout
    )


def unfused(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float
) -> Tensor:
    """Compute attention by separate operations, with keys padded to at least MIN_KEYS."""
    if mask is None:
        mask = query.new_ones(query.size(2), key.size(2), dtype=torch.bool).tril()
    if (short := MIN_KEYS - key.size(2)) > 0:
        key, value = (functional.pad(x, (0, 0, 0, short)) for x in (key, value))
        mask = functional.pad(mask, (0, short))
    unseen = query.new_zeros(mask.shape).masked_fill_(~mask, -math.inf)
    scores = (query * query.size(-1) ** -0.5) @ key.transpose(-1, -2)
    weights = functional.softmax(scores + unseen, -1)
    return dropped(weights, dropout, training=True).to(value.dtype) @ value

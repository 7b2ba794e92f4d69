"""Softmax attention in the form that is fastest for the device, the precision and the shape."""

import math

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels.dropout_bits import dropout as dropped

FEW_QUERIES = 16
"""Queries a sentence for which torch's fused attention on a CPU is slower than its parts."""
REGISTER = 16
"""Numbers in a vector register: torch takes ten times as long for a softmax over fewer."""


def attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float
) -> Tensor:
    """softmax(Q K^T / sqrt(K)) V with dropout on the weights: [B, H, T, K] each -> the same.

    torch's fused attention knows neither dropout nor fast bfloat16 on a CPU, and is slow with few
    queries: there it is computed in parts.
    """
    slow = dropout or query.dtype == torch.bfloat16 or query.size(2) <= FEW_QUERIES
    if query.device.type == "cpu" and slow:
        return in_parts(query, key, value, mask, dropout)
    return functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=mask is None, dropout_p=dropout
    )


def in_parts(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float
) -> Tensor:
    """The same by its parts, over at least as many keys as a register holds."""
    if mask is None:
        mask = query.new_ones(query.size(2), key.size(2), dtype=torch.bool).tril()
    if (short := REGISTER - key.size(2)) > 0:
        key, value = (functional.pad(x, (0, 0, 0, short)) for x in (key, value))
        mask = functional.pad(mask, (0, short))
    unseen = query.new_zeros(mask.shape).masked_fill_(~mask, -math.inf)
    scores = (query * query.size(-1) ** -0.5) @ key.transpose(-1, -2)
    weights = functional.softmax(scores + unseen, -1)
    return dropped(weights, dropout, training=True).to(value.dtype) @ value

"""Compute softmax attention by the fastest way for the device, precision and shape."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.base.errors import UserError
from deepmt.kernels import compiled
from deepmt.kernels.dropout_bits import dropout as dropped

FEW_QUERIES = 16
"""Queries per sentence up to which torch's fused attention is slower on a CPU."""
MIN_KEYS = 16
"""Numbers in a vector register; torch's softmax over fewer takes ten times as long."""
ALIGNED = 8
"""Numbers to whose multiples the rows of a mask are aligned on a GPU."""


def attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float
) -> Tensor:
    """Compute softmax(Q K^T / sqrt(K)) V with dropout on the weights: [B, H, T, K] each -> same.

    On a CPU, torch's fused attention lacks dropout and is slower than compiled operations, and than
    torch's separate ones in bfloat16 or with few queries; `unfused` replaces it there.
    """
    few = query.size(2) <= FEW_QUERIES
    slow = dropout or query.dtype == torch.bfloat16 or few or compiled.supports(query)
    if query.device.type == "cpu" and slow:
        return unfused(query, key, value, mask, dropout)
    return functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=mask is None, dropout_p=dropout
    )


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
        ValueError: the mask has more entries than the cache.
    """
    seen = mask.size(-1)
    if seen > entries.size(1):
        raise UserError(f"the mask has {seen} entries, the cache {entries.size(1)}")
    if torch.is_grad_enabled() or not compiled.take(query):
        key, value = entries[:, :seen].permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(query.transpose(1, 2), key, value, mask)
        return y.transpose(1, 2)
    y = query.new_empty(query.shape)
    compiled.run("attend", query.contiguous(), entries, mask[:, 0], y, query.size(-1) ** -0.5)
    return y


def unfused(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: float
) -> Tensor:
    """Compute attention by separate operations, with keys padded to at least MIN_KEYS."""
    if compiled.supports(query) and (mask is None or mask.size(2) == 1):
        scores = query @ key.transpose(-1, -2)
        weights = MaskedSoftmax.apply(scores, mask, query.size(-1) ** -0.5)
        return dropped(weights, dropout, training=True) @ value
    if mask is None:
        mask = query.new_ones(query.size(2), key.size(2), dtype=torch.bool).tril()
    if (short := MIN_KEYS - key.size(2)) > 0:
        key, value = (functional.pad(x, (0, 0, 0, short)) for x in (key, value))
        mask = functional.pad(mask, (0, short))
    unseen = query.new_zeros(mask.shape).masked_fill_(~mask, -math.inf)
    scores = (query * query.size(-1) ** -0.5) @ key.transpose(-1, -2)
    weights = functional.softmax(scores + unseen, -1)
    return dropped(weights, dropout, training=True).to(value.dtype) @ value


class MaskedSoftmax(torch.autograd.Function):
    """Compute y = softmax(s x) over the keys that a query may see, and dx = y (dy - y.dy) s."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor | None, scale: float) -> Tensor:
        """Return the weights: [B, H, T, S], mask [B, 1, 1, S] -> [B, H, T, S]."""
        x = x.contiguous()
        y = torch.empty_like(x)
        if mask is not None:
            mask = mask.expand(len(x), 1, 1, x.size(3)).contiguous()
        compiled.run("softmax", x, mask, y, scale)
        ctx.save_for_backward(y)
        ctx.scale = scale
        return y

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> tuple[Tensor, None, None]:
        """Return dx: [B, H, T, S]."""
        (y,) = ctx.saved_tensors
        dx = torch.empty_like(y)
        compiled.run("softmax_gradient", y, dy.contiguous(), dx, ctx.scale)
        return dx, None, None

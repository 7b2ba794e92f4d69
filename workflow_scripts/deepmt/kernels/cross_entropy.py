"""Label-smoothed cross-entropy that never holds two copies of all logits."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

LOGITS = {"cpu": 1 << 22, "cuda": 1 << 28}
"""The most that exist at once: 16 MB stay in the processor's and the allocator's reach."""


def smoothed_cross_entropy(logits: Tensor, gold: Tensor, share: float) -> tuple[Tensor, Tensor]:
    """(1 - e) (-log p_gold) + e/V sum_v (-log p_v), and -log p_gold: [N, V], [N] -> [N] each."""
    return SmoothedCrossEntropy.apply(logits, gold, share)


class SmoothedCrossEntropy(torch.autograd.Function):
    """l = (1 - e) (-log p_gold) + e/V sum_v (-log p_v); dl/dlogit = p - (1 - e) 1_gold - e/V."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, gold: Tensor, share: float) -> tuple[Tensor, Tensor]:
        """[N, V], [N] -> l and -log p_gold, which takes no gradient: [N] each, float32 at least."""
        exact = torch.promote_types(logits.dtype, torch.float32)
        logs = torch.log_softmax(logits, -1, dtype=exact)
        ctx.save_for_backward(logs, gold)
        ctx.share, ctx.dtype = share, logits.dtype
        of_gold = logs.gather(1, gold[:, None])[:, 0]
        nll = -of_gold
        ctx.mark_non_differentiable(nll)
        return -(1 - share) * of_gold - share * logs.mean(-1), nll

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """[N] -> [N, V]."""
        logs, gold = ctx.saved_tensors
        slope = logs.exp().sub_(ctx.share / logs.size(1))
        slope[torch.arange(len(gold), device=gold.device), gold] -= 1 - ctx.share
        return slope.mul_(gradients[0][:, None]).to(ctx.dtype), None, None


def backward_in_pieces(
    loss: Callable[..., tuple[Tensor, Tensor]], vocabulary: int, rows: Tensor, *others: Tensor
) -> tuple[Tensor, Tensor]:
    """Add the gradients of a sum over rows, `loss(rows, *others)`, a piece of the rows at a time.

    `loss` returns that sum and another one, which takes no gradient. Return both, detached.
    """
    cut = rows.detach().requires_grad_()
    total, other = rows.new_zeros(2, dtype=torch.float32)
    size = max(1, LOGITS[rows.device.type] // vocabulary)
    for piece in zip(*(each.split(size) for each in (cut, *others)), strict=True):
        value, also = loss(*piece)
        value.backward()
        total, other = total + value.detach(), other + also
    rows.backward(cut.grad)
    return total, other

"""Compute label-smoothed cross-entropy without a second copy of all logits."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from deepmt.kernels import compiled
from deepmt.kernels.limits import MAX_LOGITS


def smoothed_cross_entropy(logits: Tensor, gold: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return the smoothed loss l and the NLL, -log p_gold: [N, V], [N] -> [N] each.

    l = (1 - e) (-log p_gold) + e/V sum_v (-log p_v).
    """
    kernel = OnePassCrossEntropy if compiled.supports(logits) else FewPassCrossEntropy
    return kernel.apply(logits, gold, epsilon)


class FewPassCrossEntropy(torch.autograd.Function):
    """Compute l in few passes over [N, V], which take the time on a GPU."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, gold: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
        """Return l and, without gradient, -log p_gold, at least in float32."""
        exact = torch.promote_types(logits.dtype, torch.float32)
        logs = torch.log_softmax(logits, -1, dtype=exact)
        ctx.save_for_backward(logs, gold)
        ctx.epsilon, ctx.dtype = epsilon, logits.dtype
        at_gold = gold[:, None]
        nll = -logs.gather(1, at_gold)[:, 0]
        ctx.mark_non_differentiable(nll)
        # Log p_v = logit_v - log_sum: the mean reads the shorter logits.
        log_sum = logits.gather(1, at_gold)[:, 0] + nll
        rest = log_sum - logits.mean(-1, dtype=exact)
        return (1 - epsilon) * nll + epsilon * rest, nll

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient of the logits, g p - g e/V - g (1 - e) 1_gold: [N] -> [N, V]."""
        logs, gold = ctx.saved_tensors
        g = gradients[0][:, None]
        slope = torch.empty_like(logs, dtype=ctx.dtype)
        torch.exp(logs, out=slope)
        torch.addcmul(g * (-ctx.epsilon / logs.size(1)), slope, g, out=slope)
        return (
            slope.scatter_add_(1, gold[:, None], ((ctx.epsilon - 1) * g).to(ctx.dtype)),
            None,
            None,
        )


class OnePassCrossEntropy(torch.autograd.Function):
    """Compute the same from the logits and log sum_v exp(logit_v), which takes no copy of them."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, gold: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
        """Return l and, without gradient, -log p_gold in float32.

        Raises:
            IndexError: a gold token is not in the vocabulary.
        """
        logits = logits.contiguous()
        if len(gold) and not 0 <= gold.min() <= gold.max() < logits.size(1):
            raise IndexError(f"gold tokens {gold.min()} to {gold.max()} of {logits.size(1)}")
        loss, nll, log_sum = logits.new_empty(3, len(gold), dtype=torch.float32)
        compiled.run("cross_entropy", logits, gold, loss, nll, log_sum, epsilon)
        ctx.save_for_backward(logits, gold, log_sum)
        ctx.epsilon = epsilon
        ctx.mark_non_differentiable(nll)
        return loss, nll

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient of the logits: [N] -> [N, V]."""
        logits, gold, log_sum = ctx.saved_tensors
        slope, g = torch.empty_like(logits), gradients[0].contiguous()
        compiled.run("cross_entropy_gradient", logits, gold, log_sum, g, slope, ctx.epsilon)
        return slope, None, None


def backward_in_chunks(
    loss: Callable[..., tuple[Tensor, Tensor]],
    vocabulary: int,
    states: Tensor,
    rows: Tensor,
    *others: Tensor,
) -> tuple[Tensor, Tensor]:
    """Run the backward pass of a sum over rows of states, `loss(states[rows], *others)`, in chunks.

    States are [..., D], and rows number their positions, each at most once. `loss` returns that sum
    and a second one without gradient. Return both totals, detached.
    """
    flat = states.detach().flatten(0, -2)
    gradient = torch.zeros_like(flat)
    total, other = flat.new_zeros(2, dtype=torch.float32)
    size = max(1, MAX_LOGITS[flat.device.type] // vocabulary)
    for chosen, *chunk in zip(*(each.split(size) for each in (rows, *others)), strict=True):
        cut = flat.index_select(0, chosen).requires_grad_()
        value, other_value = loss(cut, *chunk)
        value.backward()
        assert cut.grad is not None
        gradient.index_copy_(0, chosen, cut.grad)
        total, other = total + value.detach(), other + other_value
    states.backward(gradient.view_as(states))
    return total, other

"""Label-smoothed cross-entropy in the two forms of the papers' code bases."""

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor

from deepmt.config.spec import Training
from deepmt.data.vocabulary import PAD

Output = Callable[[Tensor], Tensor]
"""States [N, D] -> logits [N, V]."""
LOGITS = {"cpu": 1 << 22, "cuda": 1 << 28}
"""How many exist at once: 16 MB stay in the processor's and the allocator's reach."""


def smoothing_share(epsilon: float, over: Literal["others", "all"], vocabulary: int) -> float:
    """The epsilon of the form that spreads mass over all V classes.

    over = all (fairseq): (1 - e) nll + e/V sum_v(-log p_v). over = others (zero, lingvo): gold gets
    1 - e, each other class e/(V-1); that is the first form with e' = e V/(V-1).
    """
    return epsilon if over == "all" else epsilon * vocabulary / (vocabulary - 1)


class SmoothedLoss:
    """Mean over target tokens, or over sentences of each sentence's mean (Zhang's code)."""

    def __init__(
        self, share: float, average: Literal["token", "sentence"], vocabulary: int = 1
    ) -> None:
        self.share = share
        self.average = average
        self.vocabulary = vocabulary
        self.surprise = torch.zeros(())
        """-log p of the gold tokens, summed over the calls of `backward`: no smoothing, no weights;
        whoever reads it sets it back."""

    @classmethod
    def of(cls, recipe: Training, vocabulary: int) -> "SmoothedLoss":
        """The loss of a recipe over `vocabulary` target types."""
        share = smoothing_share(recipe.label_smoothing, recipe.smoothing_over, vocabulary)
        return cls(share, recipe.loss_average, vocabulary)

    def __call__(self, output: Output, states: Tensor, target: Tensor) -> Tensor:
        """States [B, T, D], target [B, T] -> the *sum* of weighted losses, a scalar.

        Only real positions are projected to the vocabulary. Divide by `weight(target)`, summed over
        all parts of an update, to have the mean: parts of any size then give the same gradient.
        """
        real = target != PAD
        losses, _ = SmoothedCrossEntropy.apply(output(states[real]), target[real], self.share)
        return (losses * self._shares(real)).sum()

    def backward(self, output: Output, states: Tensor, target: Tensor, weight: float) -> Tensor:
        """Add the gradients of the sum over `weight`; return that quotient, detached.

        Logits are made for some rows at a time, so that no two copies of all of them ever exist.
        """
        real = target != PAD
        rows = states[real]
        cut = rows.detach().requires_grad_()
        total = rows.new_zeros((), dtype=torch.float32)
        size = max(1, LOGITS[rows.device.type] // self.vocabulary)
        parts = (cut.split(size), target[real].split(size), self._shares(real).split(size))
        for part, gold, shares in zip(*parts, strict=True):
            losses, surprises = SmoothedCrossEntropy.apply(output(part), gold, self.share)
            loss = (losses * shares).sum() / weight
            loss.backward()
            total += loss.detach()
            self.surprise = self.surprise + surprises.sum()
        rows.backward(cut.grad)
        return total

    def _shares(self, real: Tensor) -> Tensor:
        """What each real position counts: 1, or its part of its sentence."""
        lengths = real.sum(1, keepdim=True) if self.average == "sentence" else torch.ones_like(real)
        return 1 / lengths.expand_as(real)[real]

    def weight(self, target: Tensor) -> int:
        """What the sum is a sum of: tokens, or sentences."""
        return int((target != PAD).sum()) if self.average == "token" else target.size(0)


class SmoothedCrossEntropy(torch.autograd.Function):
    """l = (1 - e) (-log p_gold) + e/V sum_v (-log p_v); dl/dlogit = p - (1 - e) 1_gold - e/V."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, gold: Tensor, share: float) -> tuple[Tensor, Tensor]:
        """[N, V], [N] -> l [N] and, for the eye alone, -log p_gold [N], in float32 at least."""
        exact = torch.promote_types(logits.dtype, torch.float32)
        logs = torch.log_softmax(logits, -1, dtype=exact)
        ctx.save_for_backward(logs, gold)
        ctx.share, ctx.dtype = share, logits.dtype
        of_gold = logs.gather(1, gold[:, None])[:, 0]
        surprises = -of_gold
        ctx.mark_non_differentiable(surprises)
        return -(1 - share) * of_gold - share * logs.mean(-1), surprises

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """[N] -> [N, V]."""
        logs, gold = ctx.saved_tensors
        slope = logs.exp().sub_(ctx.share / logs.size(1))
        slope[torch.arange(len(gold), device=gold.device), gold] -= 1 - ctx.share
        return slope.mul_(gradients[0][:, None]).to(ctx.dtype), None, None


def unigram_loss(counts: Tensor, share: float) -> float:
    """The smoothed loss of the best constant prediction: the entropy of the smoothed unigrams.

    A model that has learned nothing of its input cannot do better. `counts` [V] are those of the
    training targets.
    """
    unigram = counts.double() / counts.sum()
    smoothed = (1 - share) * unigram + share / len(counts)
    return float(torch.special.entr(smoothed).sum())

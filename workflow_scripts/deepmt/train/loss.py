"""Label-smoothed cross-entropy in the two forms of the papers' code bases."""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor

from deepmt.config.spec import Training
from deepmt.data.vocabulary import PAD
from deepmt.kernels import cross_entropy
from deepmt.kernels.fast_form import fast_form

Output = Callable[[Tensor], Tensor]
"""States [N, D] -> logits [N, V]."""


@fast_form(cross_entropy.smoothed_cross_entropy)
def smoothed_cross_entropy(logits: Tensor, gold: Tensor, share: float) -> tuple[Tensor, Tensor]:
    """(1 - e) (-log p_gold) + e/V sum_v (-log p_v), and -log p_gold: [N, V], [N] -> [N] each."""
    log_p = torch.log_softmax(logits, -1)
    nll = -log_p.gather(1, gold[:, None])[:, 0]
    return (1 - share) * nll - share * log_p.mean(-1), nll.detach()


def smoothing_share(epsilon: float, over: Literal["others", "all"], vocabulary: int) -> float:
    """Return the epsilon of the form that spreads mass over all V classes.

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

    @classmethod
    def of(cls, recipe: Training, vocabulary: int) -> "SmoothedLoss":
        """Return the loss of a recipe over `vocabulary` target types."""
        share = smoothing_share(recipe.label_smoothing, recipe.smoothing_over, vocabulary)
        return cls(share, recipe.loss_average, vocabulary)

    def __call__(self, output: Output, states: Tensor, target: Tensor) -> Tensor:
        """States [B, T, D], target [B, T] -> the *sum* of weighted losses, a scalar.

        Only real positions are projected to the vocabulary. Divide by `weight(target)`, summed over
        all parts of an update, to have the mean: parts of any size then give the same gradient.
        """
        real = target != PAD
        losses, _ = smoothed_cross_entropy(output(states[real]), target[real], self.share)
        return (losses * self._position_weights(real)).sum()

    def backward(
        self, output: Output, states: Tensor, target: Tensor, weight: float
    ) -> tuple[Tensor, Tensor]:
        """Add the gradients of the sum over `weight`; return that quotient and the NLL, detached.

        The NLL is the sum of -log p of the gold tokens, without smoothing and weights.
        """
        real = target != PAD

        def loss(states: Tensor, gold: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
            losses, nll = smoothed_cross_entropy(output(states), gold, self.share)
            return (losses * weights).sum() / weight, nll.sum()

        parts = states[real], target[real], self._position_weights(real)
        return cross_entropy.backward_in_chunks(loss, self.vocabulary, *parts)

    def _position_weights(self, real: Tensor) -> Tensor:
        """Return the weight of each real position: 1, or its share of its sentence."""
        lengths = real.sum(1, keepdim=True) if self.average == "sentence" else torch.ones_like(real)
        return 1 / lengths.expand_as(real)[real]

    def weight(self, target: Tensor) -> int:
        """Count what the sum runs over: tokens, or sentences."""
        return int((target != PAD).sum()) if self.average == "token" else target.size(0)

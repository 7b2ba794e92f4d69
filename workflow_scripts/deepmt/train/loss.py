"""Compute label-smoothed cross-entropy in the two forms of the papers' code bases."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from deepmt.data.batches import Batch
from deepmt.data.vocabulary import PAD
from deepmt.kernels import cross_entropy
from deepmt.kernels.fast_form import fast_form
from deepmt.settings.spec import Training
from deepmt.train.passes import Share

Output = Callable[[Tensor], Tensor]
"""States [N, D] -> logits [N, V]."""


@fast_form(cross_entropy.smoothed_cross_entropy)
def smoothed_cross_entropy(logits: Tensor, gold: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Return the smoothed loss l and the NLL, -log p_gold: [N, V], [N] -> [N] each.

    l = (1 - e) (-log p_gold) + e/V sum_v (-log p_v).
    """
    log_p = torch.log_softmax(logits, -1)
    nll = -log_p.gather(1, gold[:, None])[:, 0]
    return (1 - epsilon) * nll - epsilon * log_p.mean(-1), nll.detach()


def smoothing_epsilon(epsilon: float, over: Literal["others", "all"], vocabulary: int) -> float:
    """Return the equivalent epsilon of the form that spreads mass over all V classes.

    over = all (the fairseq of Wang's and Liu's code): (1 - e) nll + e/V sum_v(-log p_v). over =
    others (zero, lingvo, fairseq 0.12.2): gold gets 1 - e, each other class e/(V-1), which is the
    first form with e' = e V/(V-1).
    """
    return epsilon if over == "all" else epsilon * vocabulary / (vocabulary - 1)


@dataclass(frozen=True)
class SmoothedLoss:
    """Average losses over target tokens, or over sentences each with its mean (Zhang's code).

    The average by pairs divides their sum over tokens by the number of sentences.

    `every_position` projects padding, too, with a weight of 0: then no size depends on values.
    """

    epsilon: float
    average: Literal["token", "sentence", "pair"]
    vocabulary: int = 1
    every_position: bool = False

    @classmethod
    def of(
        cls, recipe: Training, vocabulary: int, *, every_position: bool = False
    ) -> "SmoothedLoss":
        """Return the loss of a recipe over `vocabulary` target types."""
        epsilon = smoothing_epsilon(recipe.label_smoothing, recipe.smoothing_over, vocabulary)
        return cls(epsilon, recipe.loss_average, vocabulary, every_position)

    def __call__(self, output: Output, states: Tensor, target: Tensor) -> Tensor:
        """Return the *sum* of weighted losses: states [B, T, D], target [B, T] -> scalar.

        Only real positions are projected to the vocabulary. Divide by `weight(batch)`, summed over
        all micro-batches of an update, to get the mean: the gradient does not depend on their size.
        """
        rows, gold, weights = self._real(target)
        losses, _ = smoothed_cross_entropy(output(states.flatten(0, 1)[rows]), gold, self.epsilon)
        return (losses * weights).sum()

    def backward(
        self, output: Output, states: Tensor, target: Tensor, weight: float | Tensor
    ) -> tuple[Tensor, Tensor]:
        """Add the gradients of loss / `weight`; return that loss and the NLL, detached.

        The NLL is the sum of -log p over gold tokens, without smoothing or weights.
        """

        def loss(states: Tensor, gold: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
            losses, nll = smoothed_cross_entropy(output(states), gold, self.epsilon)
            return (losses * weights).sum() / weight, (nll * (weights > 0)).sum()

        parts = self._every(target) if self.every_position else self._real(target)
        return cross_entropy.backward_in_chunks(loss, self.vocabulary, states, *parts)

    def _real(self, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return `_every` of the real positions alone."""
        _, gold, weights = self._every(target)
        rows = (target != PAD).flatten().nonzero()[:, 0]
        return rows, gold[rows], weights[rows]

    def _every(self, target: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return number, token and weight of each position; 0 for padding, 1 or 1 / length.

        Target [B, T] -> [B T] each; positions are numbered row by row.
        """
        real = target != PAD
        rows = torch.arange(target.numel(), device=target.device)
        # A row that fills a bucket has no token.
        lengths = real.sum(1, keepdim=True).clamp(min=1) if self.average == "sentence" else 1
        return rows, target.flatten(), (real / lengths).flatten()

    def weight(self, counted: Batch | Share) -> int:
        """Return the number of tokens or sentences that the loss is divided by."""
        return counted.target_tokens if self.average == "token" else counted.sentences

    def per_token(self, loss: Tensor, share: Share) -> Tensor:
        """Return the loss of an update as a mean over its tokens, as unigrams have.

        The mean over sentences is one already, on average over updates.
        """
        return loss * share.sentences / share.target_tokens if self.average == "pair" else loss

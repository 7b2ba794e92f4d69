"""Label-smoothed cross-entropy in the two forms of the papers' code bases."""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.data.vocabulary import PAD
from deepmt.spec import Training


def smoothing_share(epsilon: float, over: Literal["others", "all"], vocabulary: int) -> float:
    """The epsilon of the form that spreads mass over all V classes.

    over = all (fairseq): (1 - e) nll + e/V sum_v(-log p_v). over = others (zero, lingvo): gold gets
    1 - e, each other class e/(V-1); that is the first form with e' = e V/(V-1).
    """
    return epsilon if over == "all" else epsilon * vocabulary / (vocabulary - 1)


class SmoothedLoss:
    """Mean over target tokens, or over sentences of each sentence's mean (Zhang's code)."""

    def __init__(self, share: float, average: Literal["token", "sentence"]) -> None:
        self.share = share
        self.average = average

    @classmethod
    def of(cls, recipe: Training, vocabulary: int) -> "SmoothedLoss":
        """The loss of a recipe over `vocabulary` target types."""
        share = smoothing_share(recipe.label_smoothing, recipe.smoothing_over, vocabulary)
        return cls(share, recipe.loss_average)

    def __call__(self, output: nn.Module, states: Tensor, target: Tensor) -> Tensor:
        """States [B, T, D], target [B, T] -> the *sum* of weighted losses, a scalar.

        Only real positions are projected to the vocabulary. Divide by `weight(target)`, summed over
        all parts of an update, to have the mean: parts of any size then give the same gradient.
        """
        real = target != PAD
        logits = output(states[real])
        losses = functional.cross_entropy(
            logits, target[real], label_smoothing=self.share, reduction="none"
        )
        if self.average == "token":
            return losses.sum()
        lengths = real.sum(1, keepdim=True).expand_as(real)[real]
        return (losses / lengths).sum()

    def weight(self, target: Tensor) -> int:
        """What the sum is a sum of: tokens, or sentences."""
        return int((target != PAD).sum()) if self.average == "token" else target.size(0)


def unigram_loss(counts: Tensor, share: float) -> float:
    """The smoothed loss of the best constant prediction: the entropy of the smoothed unigrams.

    A model that has learned nothing of its input cannot do better. `counts` [V] are those of the
    training targets.
    """
    unigram = counts.double() / counts.sum()
    smoothed = (1 - share) * unigram + share / len(counts)
    return float(torch.special.entr(smoothed).sum())

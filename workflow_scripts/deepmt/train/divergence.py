"""Detect when a run has diverged or stalled."""

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from deepmt.settings.spec import Training

PROGRESS = 0.98
"""Share of the loss of unigrams above which nothing of the input is used."""
EXPLODED = 2.0
"""Multiple of the unigram entropy that the loss of an untrained model does not reach."""


@dataclass(frozen=True)
class Failure:
    """Describe how, when and why a run was stopped."""

    outcome: Literal["diverged", "stalled"]
    update: int
    reason: str
    rows: tuple[int, ...] = ()
    """Training set rows of the failing batch; empty if the run learned nothing."""


@dataclass(frozen=True)
class BatchIndex:
    """Locate a batch by epoch and number, both counted from 0, and its training set rows."""

    epoch: int
    batch: int
    rows: tuple[int, ...] = ()
    ends_epoch: bool = False


@dataclass
class DivergenceDetector:
    """Decide if a run has diverged or stalled.

    Rule 1: it diverged if a loss or gradient norm is not finite. Rule 2: from update `patience` on,
    the mean loss of the last `window` updates is still above 98 % of the loss of the best constant
    prediction (the smoothed unigram entropy): the model has not learned to use its input. It
    stalled, or diverged if that loss is more than twice the entropy.
    """

    patience: float
    window: int
    unigram_loss: float
    losses: deque[float] = field(init=False)

    def __post_init__(self) -> None:
        self.losses = deque(maxlen=self.window)

    @classmethod
    def of(cls, recipe: Training, unigram_loss: float) -> "DivergenceDetector":
        """Return the detector of a recipe, whose patience is a share of the updates or a number."""
        patience = recipe.divergence_patience
        if patience <= 1:
            patience *= recipe.updates
            return cls(patience, max(1, round(0.05 * recipe.updates)), unigram_loss)
        return cls(patience, max(1, round(patience / 10)), unigram_loss)

    @property
    def recent_loss(self) -> float:
        """Return the mean training loss of the window."""
        return sum(self.losses) / len(self.losses) if self.losses else math.nan

    def judge(
        self, update: int, loss: float, gradient_norm: float, index: BatchIndex
    ) -> Failure | None:
        """Judge one update before its step; record its loss only if the run goes on."""
        for name, value in (("loss", loss), ("gradient norm", gradient_norm)):
            if not math.isfinite(value):
                where = f"in batch {index.batch} of epoch {index.epoch}"
                return Failure("diverged", update, f"{name} is {value} {where}", index.rows)
        if update >= self.patience and (failure := self._stalled(update, loss)):
            return failure
        self.losses.append(loss)
        return None

    def _stalled(self, update: int, loss: float) -> Failure | None:
        recent_losses = [*self.losses, loss][-self.window :]
        recent = sum(recent_losses) / len(recent_losses)
        if len(recent_losses) == self.window and recent > PROGRESS * self.unigram_loss:
            exploded = recent > EXPLODED * self.unigram_loss
            where = "more than twice" if exploded else "still at"
            return Failure(
                "diverged" if exploded else "stalled",
                update,
                f"loss {recent:.3f} is {where} the unigram entropy {self.unigram_loss:.3f}",
            )
        return None

"""Detect when a run has diverged."""

import math
from collections import deque
from dataclasses import dataclass, field

WINDOW_SHARE = 0.05
PROGRESS = 0.98


@dataclass(frozen=True)
class Divergence:
    """Describe when and why a run was stopped."""

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


@dataclass
class DivergenceDetector:
    """Decide if a run has diverged.

    Rule 1: a loss or gradient norm is not finite. Rule 2: after the fraction `patience` of all
    updates, the mean loss of the last twentieth of updates is still above 98 % of the loss of the
    best constant prediction (the smoothed unigram entropy): the model has not learned to use its
    input.
    """

    updates: int
    patience: float
    unigram_loss: float
    losses: deque[float] = field(init=False)

    def __post_init__(self) -> None:
        self.losses = deque(maxlen=max(1, round(self.updates * WINDOW_SHARE)))

    @property
    def recent_loss(self) -> float:
        """Return the mean training loss of the window."""
        return sum(self.losses) / len(self.losses) if self.losses else math.nan

    def judge(
        self, update: int, loss: float, gradient_norm: float, index: BatchIndex
    ) -> Divergence | None:
        """Judge one update before its step; record its loss only if it did not diverge."""
        for name, value in (("loss", loss), ("gradient norm", gradient_norm)):
            if not math.isfinite(value):
                where = f"in batch {index.batch} of epoch {index.epoch}"
                return Divergence(update, f"{name} is {value} {where}", index.rows)
        window = deque([*self.losses, loss], maxlen=self.losses.maxlen)
        recent = sum(window) / len(window)
        late = update >= self.patience * self.updates
        if late and len(window) == window.maxlen and recent > PROGRESS * self.unigram_loss:
            return Divergence(
                update,
                f"loss {recent:.3f} is still at the unigram entropy {self.unigram_loss:.3f}",
            )
        self.losses = window
        return None

"""How a run may end, scientifically: finished or diverged; and the rule that tells them apart."""

import math
from collections import deque
from dataclasses import dataclass, field

WINDOW_SHARE = 0.05
PROGRESS = 0.98


@dataclass(frozen=True)
class Divergence:
    """When and why a run was given up."""

    update: int
    reason: str


@dataclass
class Watch:
    """Decides whether a run has diverged.

    Rule 1: a loss or a gradient norm that is not finite. Rule 2: after `stall_share` of the
    updates, the mean loss of the last twentieth is still above 98 % of what the best constant
    prediction reaches (the smoothed unigram entropy): the model has learned nothing of its input.
    """

    updates: int
    stall_share: float
    unigram_loss: float
    losses: deque[float] = field(init=False)

    def __post_init__(self) -> None:
        self.losses = deque(maxlen=max(1, round(self.updates * WINDOW_SHARE)))

    @property
    def recent_loss(self) -> float:
        """Mean training loss of the window."""
        return sum(self.losses) / len(self.losses) if self.losses else math.nan

    def see(
        self, update: int, loss: float, gradient_norm: float, place: tuple[int, int]
    ) -> Divergence | None:
        """Judge one update before its step is taken; `place` is its epoch and batch, from 0."""
        where = "in batch {1} of epoch {0}".format(*place)
        if not math.isfinite(loss):
            return Divergence(update, f"loss is {loss} {where}")
        if not math.isfinite(gradient_norm):
            return Divergence(update, f"gradient norm is {gradient_norm} {where}")
        self.losses.append(loss)
        late = update >= self.stall_share * self.updates
        full = len(self.losses) == self.losses.maxlen
        if late and full and self.recent_loss > PROGRESS * self.unigram_loss:
            return Divergence(
                update,
                f"loss {self.recent_loss:.3f} is still at the unigram entropy "
                f"{self.unigram_loss:.3f}",
            )
        return None

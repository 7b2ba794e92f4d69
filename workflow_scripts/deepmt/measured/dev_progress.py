"""Read how far a seed came on dev before the last third of its training, and at its end."""

import math
from typing import NamedTuple

from deepmt.measured.training_curves import TrainingCurves

BEFORE_LAST_THIRD = 2 / 3


class LogDev(NamedTuple):
    """Hold the log perplexities on dev of a seed."""

    before: float
    """At two thirds of training."""
    end: float


def log_dev(curves: TrainingCurves) -> LogDev | None:
    """Return the log perplexities of a seed; None if it did not log them."""
    if curves.dev is None or "ppl" not in curves.dev:
        return None
    known = {u: p for u, p in zip(curves.dev["update"], curves.dev["ppl"], strict=True) if p}
    before = [update for update in known if update <= BEFORE_LAST_THIRD * curves.updates]
    if not before:
        return None
    return LogDev(math.log(known[before[-1]]), math.log(known[max(known)]))

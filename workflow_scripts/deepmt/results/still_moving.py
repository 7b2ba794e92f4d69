"""Tell whether the lead of one system over another was still changing when training ended."""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from deepmt.metrics.interval import half_width, mean_and_spread
from deepmt.results.standard_error import Pooled, Sample, pool, standard_error
from deepmt.results.training_curves import TrainingCurves

BEFORE_LAST_THIRD = 2 / 3
UNIT = "perplexity"
"""Spreads of logarithms have the tolerance of a perplexity of 1."""


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


def still_moving(one: Sequence[LogDev], other: Sequence[LogDev], pooled: Pooled) -> bool:
    """Check if the log ratio of dev perplexities moved by more than half of its interval.

    It is taken over the last third of training; without a logged seed, no movement is known.
    """
    if not one or not other:
        return False
    lead = [fmean(seed[at] for seed in one) - fmean(seed[at] for seed in other) for at in (0, 1)]
    errors = [
        standard_error(of_logarithms("", [s.end for s in side]), pooled) for side in (one, other)
    ]
    return abs(lead[1] - lead[0]) > half_width(errors)


def of_logarithms(name: str, values: Sequence[float]) -> Sample:
    """Return the spread of log perplexities over seeds."""
    return Sample(UNIT, name, 1.0, mean_and_spread(values)[1], len(values))


def pool_of_dev(runs: Iterable[tuple[str, Sequence[LogDev]]]) -> Pooled:
    """Return the pooled spread of the log perplexities on dev of runs with several seeds."""
    return pool(of_logarithms(run, [seed.end for seed in seeds]) for run, seeds in runs if seeds)

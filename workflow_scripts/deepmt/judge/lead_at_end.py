"""Tell whether the lead of one system over another was still changing when training ended."""

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from deepmt.judge.interval import half_width
from deepmt.judge.standard_error import Pooled, Sample, pool, standard_error
from deepmt.measured.dev_progress import LogDev
from deepmt.measured.seeds import mean_and_spread

UNIT = "perplexity"
"""Spreads of logarithms have the tolerance of a perplexity of 1."""


def turns(value: float, half: float, change: float) -> bool:
    """Check if a lead, changed once more by as much, would no longer be one.

    `change` is that of the log ratio of dev perplexities over the last third of training: the
    interval, moved by it, holds zero or lies beyond it.
    """
    return abs(value) > half and math.copysign(1, value) * (value + change) <= half


def change_of(one: Iterable[LogDev], other: Iterable[LogDev]) -> float:
    """Return the change of the log ratio of dev perplexities over the last third; 0 if unknown."""
    moved = [[seed.end - seed.before for seed in side] for side in (one, other)]
    return fmean(moved[0]) - fmean(moved[1]) if all(moved) else 0.0


def still_moving(one: Sequence[LogDev], other: Sequence[LogDev], pooled: Pooled) -> bool:
    """Check if the lead on dev would turn; without a logged seed, no movement is known."""
    if not one or not other:
        return False
    ends = [[seed.end for seed in side] for side in (one, other)]
    errors = [standard_error(of_logarithms("", side), pooled) for side in ends]
    return turns(fmean(ends[0]) - fmean(ends[1]), half_width(errors), change_of(one, other))


def of_logarithms(name: str, values: Sequence[float]) -> Sample:
    """Return the spread of log perplexities over seeds."""
    return Sample(UNIT, name, 1.0, mean_and_spread(values)[1], len(values))


def pool_of_dev(runs: Mapping[str, Mapping[int, LogDev]]) -> Pooled:
    """Return the pooled spread of the log perplexities on dev of runs with several seeds."""
    return pool(
        of_logarithms(run, [seed.end for seed in seeds.values()])
        for run, seeds in runs.items()
        if seeds
    )

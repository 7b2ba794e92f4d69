"""Tell whether the lead of one system over another was still changing when training ended."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from deepmt.judge.interval import half_width
from deepmt.judge.standard_error import Pooled, Sample, pool, standard_error
from deepmt.results.dev_progress import LogDev
from deepmt.results.seeds import mean_and_spread

UNIT = "perplexity"
"""Spreads of logarithms have the tolerance of a perplexity of 1."""


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

"""Compute mean and spread over seeds."""

import math
import statistics
from collections.abc import Sequence


def mean_and_spread(values: Sequence[float]) -> tuple[float, float | None]:
    """Return mean and sample standard deviation (n - 1; None for one value, or an infinite one).

    Raises:
        ValueError: if there is no value.
    """
    if not values:
        raise ValueError("no values to average: at least one seed must have a score")
    known = len(values) > 1 and all(map(math.isfinite, values))
    return statistics.fmean(values), statistics.stdev(values) if known else None

"""Estimate the standard error of a mean, from its own spread or from the pooled one of a scale."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from statistics import fmean
from typing import NamedTuple

from deepmt.judge.interval import EXACT, Error
from deepmt.judge.tolerance import COUNTED, tolerance_of

ENOUGH = 3
"""Seeds needed to trust a spread; that of fewer may be small by chance."""
FLOOR = 1 / 10
"""Smallest spread of any system, in tolerances of its unit: 0.05 BLEU, what rounding hides."""


class Sample(NamedTuple):
    """Hold mean and spread over the seeds of a system, or over the rounds of a timing."""

    unit: str
    system: str
    value: float
    spread: float | None
    """None or NaN if it is unknown."""
    seeds: int

    @property
    def relative_spread(self) -> float | None:
        """Return the spread in tolerances of the unit, and not below the floor; None if unknown."""
        tolerance = tolerance_of(self.unit, self.value)
        if self.spread is None or not isfinite(self.spread) or not isfinite(tolerance):
            return None
        return max(FLOOR, self.spread / tolerance if tolerance else 0.0)


class PooledSpread(NamedTuple):
    """Hold the root mean square of the spreads of a scale, in tolerances, and its freedom."""

    tolerances: float
    freedom: float


Pooled = Mapping[str, PooledSpread]
"""By unit."""


def pool(samples: Iterable[Sample]) -> dict[str, PooledSpread]:
    """Pool the spreads of each unit; several columns of one system count as their mean.

    The degrees of freedom are Satterthwaite's (1946), fewer than the sum where spreads differ.
    """
    by_system: dict[tuple[str, str], list[tuple[float, int]]] = defaultdict(list)
    for sample in samples:
        if (spread := sample.relative_spread) is not None:
            by_system[sample.unit, sample.system].append((spread**2, sample.seeds - 1))
    variances: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for (unit, _), own in by_system.items():
        squares, freedoms = zip(*own, strict=True)
        variances[unit].append((fmean(squares), min(freedoms)))
    return {unit: _pooled(own) for unit, own in variances.items()}


def _pooled(variances: Sequence[tuple[float, int]]) -> PooledSpread:
    """Return the pooled spread from variances and their degrees of freedom.

    One is given up for systems whose own spread is larger: tests/unit/test_error_rates.py.
    """
    total = math.fsum(freedom * variance for variance, freedom in variances)
    variance = total / sum(freedom for _, freedom in variances)
    freedom = total**2 / math.fsum(freedom * variance**2 for variance, freedom in variances)
    return PooledSpread(math.sqrt(variance), freedom - 1)


def standard_error(sample: Sample, pooled: Pooled) -> Error:
    """Return the standard error of a mean; with fewer than three seeds from the pooled spread."""
    unit, _, value, _, seeds = sample
    tolerance = tolerance_of(unit, value)
    root = math.sqrt(max(1, seeds))
    if unit in COUNTED:
        return EXACT
    if (spread := sample.relative_spread) is not None and seeds >= ENOUGH:
        return Error(spread * tolerance / root, seeds - 1)
    found = pooled.get(unit, PooledSpread(0.0, 0.0))
    size = found.tolerances * tolerance / root
    return Error(size, found.freedom, f"pooled {unit}")

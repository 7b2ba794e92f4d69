"""Estimate the standard error of a mean, from its own spread or from the pooled one of a scale.

Spreads are pooled in tolerances: the smallest differences that count, by unit.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import fmean
from typing import NamedTuple

from deepmt.judge.interval import EXACT, Error


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """Hold a tolerance in the unit of the value, or as a share of it."""

    absolute: float = 0.0
    relative: float = 0.0

    def of(self, value: float) -> float:
        """Return the tolerance in the unit of the value."""
        return max(self.absolute, self.relative * abs(value))


COUNTED = {
    "million parameters": Tolerance(relative=0.01),
    "million tokens": Tolerance(relative=0.02),
    "million sentence pairs": Tolerance(relative=0.02),
    "thousand merge operations": Tolerance(relative=0.02),
}
"""Units of what is counted, without noise."""
TOLERANCES = COUNTED | {
    "BLEU": Tolerance(absolute=0.5),
    "BLEU [%]": Tolerance(absolute=0.5),
    "chrF": Tolerance(absolute=0.5),
    "TER": Tolerance(absolute=0.5),
    "METEOR": Tolerance(absolute=0.5),
    "perplexity": Tolerance(relative=0.03),
    "ratio; variance for var_r": Tolerance(absolute=0.06),
    "ratio": Tolerance(relative=0.05),
}
"""Tolerances of the units that have a verdict.

Times and speeds depend on the machine and are not compared with a paper's. The tolerance of their
ratios follows the printed ones: pre-norm decodes at 0.92, 0.96 and 0.98 times the speed of
post-norm. Some corpus sizes are printed with two digits: 3.3 million may be 1.5 % more or less.
"""


def tolerance_of(unit: str, value: float) -> float:
    """Return the tolerance of a value; that of times and speeds is the one of their ratios."""
    return TOLERANCES.get(unit, TOLERANCES["ratio"]).of(value)


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

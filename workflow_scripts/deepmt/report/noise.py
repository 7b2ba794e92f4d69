"""How certain a mean over seeds is, and the difference or the ratio of two."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from deepmt.results.verdict import TOLERANCES, Tolerance

TIMES = Tolerance(relative=0.05)
"""Of times and speeds, which verdicts leave alone: that of a ratio of two."""
SMALL = Tolerance(relative=0.2)
"""Of a score at a small scale: other rounding alone has moved a deep toy system by so much."""
ENOUGH_SEEDS = 3
"""Fewer do not tell their own spread: it may be small by luck."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of a comparison: a value, or the mean of several."""

    number: float
    errors: Mapping[str, float]
    """Share of each source in the standard error: cells of one run err together."""


def standard_error(
    value: float, spread: float | None, seeds: int, unit: str, *, small: bool = False
) -> float:
    """Return it from the spread over seeds; from few, at least half the unit's tolerance."""
    tolerances = (TOLERANCES.get(unit, TIMES), SMALL if small else Tolerance())
    least = max(tolerance.of(value) for tolerance in tolerances) / 2
    if spread is None:
        return least
    error = spread / math.sqrt(max(1, seeds))
    return error if seeds >= ENOUGH_SEEDS else max(error, least)


def error_of_ratio(value: float) -> float:
    """Return the standard error of a ratio of times that comes without its spread."""
    return TIMES.of(value) / 2


def noise_of_difference(one: Side, other: Side) -> float:
    """Return twice the standard error of the difference of two sides."""
    return 2 * math.hypot(*one.errors.values(), *other.errors.values())


def noise_of_ratio(one: Side, other: Side) -> float:
    """Return twice the standard error of one side over the other, to first order."""
    relative = [error / side.number for side in (one, other) for error in side.errors.values()]
    return abs(2 * math.hypot(*relative) * one.number / other.number)

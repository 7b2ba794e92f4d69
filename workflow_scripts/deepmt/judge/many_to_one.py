"""Compare many systems with one baseline, corrected for their number (Dunnett 1955)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import dunnett

from deepmt.judge.interval import CONFIDENCE

SEED = 1955
"""Of scipy's numerical integration, whose error is below the digits that are printed."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Hold a difference to the baseline and the ends of its interval."""

    value: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """Return half of the width of the interval."""
        return (self.high - self.low) / 2


def differences(
    systems: Mapping[str, Sequence[float]], baseline: Sequence[float]
) -> dict[str, Difference]:
    """Return the mean of each system less that of the baseline, one value a seed.

    With a chance of 95 % all intervals hold their true differences, if the values of every system
    are normal with one variance. Without a second seed of any system, nothing is known: infinite.
    """
    means = {name: float(np.mean(own) - np.mean(baseline)) for name, own in systems.items()}
    if not systems or sum(len(own) - 1 for own in (*systems.values(), baseline)) < 1:
        return {
            name: Difference(value=value, low=-np.inf, high=np.inf) for name, value in means.items()
        }
    found = dunnett(*systems.values(), control=baseline, rng=np.random.default_rng(SEED))
    ends = found.confidence_interval(CONFIDENCE)
    return {
        name: Difference(value=value, low=float(low), high=float(high))
        for (name, value), low, high in zip(means.items(), ends.low, ends.high, strict=True)
    }

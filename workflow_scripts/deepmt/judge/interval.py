"""Compute 95 % confidence intervals (Student 1908; Welch 1947); hold what is judged by them."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from scipy.special import stdtrit

CONFIDENCE = 0.95
Verdict = TypeVar("Verdict", bound=str, covariant=True)


@dataclass(frozen=True)
class Error:
    """Hold a standard error, and the degrees of freedom of its spread; 0 if that is unknown."""

    size: float
    freedom: float
    spread: str = ""
    """Name of the spread that it has in common with other errors; empty if it has its own."""

    @property
    def whole_freedom(self) -> int:
        """Return the degrees of freedom rounded down, which intervals and decisions go by."""
        return int(self.freedom + 1e-9)


EXACT = Error(0.0, 1)
"""Error of a number that was printed or counted."""


def student(freedom: float, confidence: float = CONFIDENCE) -> float:
    """Return the |t| that a share of 1 - confidence of Student's distribution exceed."""
    return float(stdtrit(freedom, (1 + confidence) / 2))


def half_width(errors: Iterable[Error], confidence: float = CONFIDENCE) -> float:
    """Return half of the interval of a sum of independent terms; infinite if a spread is unknown.

    The degrees of freedom are Welch's, rounded down; one term has Student's interval.
    """
    error = together(errors)
    whole = error.whole_freedom
    return student(whole, confidence) * error.size if whole else math.inf


def together(errors: Iterable[Error]) -> Error:
    """Return the standard error of a sum of independent terms, with Welch's degrees of freedom.

    They are 0 if a spread is unknown. Errors that share a spread share its degrees of freedom.
    """
    terms = list(errors)
    if not all(error.freedom and math.isfinite(error.size) for error in terms):
        return Error(math.inf, 0)
    largest = max((error.size for error in terms), default=0.0)
    if not largest:
        return EXACT
    # In units of the largest error, since the square of a perplexity may overflow.
    variances: dict[str, float] = defaultdict(float)
    freedoms: dict[str, float] = {}
    for number, error in enumerate(terms):
        name = error.spread or str(number)
        variances[name] += (error.size / largest) ** 2
        freedoms[name] = error.freedom
    total = math.fsum(variances.values())
    freedom = total**2 / math.fsum(v**2 / freedoms[name] for name, v in variances.items())
    return Error(largest * math.sqrt(total), freedom)


@dataclass(frozen=True, kw_only=True)
class Judged(Generic[Verdict]):
    """Represent a value, half of its 95 % interval, the verdict on it, and why it is no other."""

    value: float
    half: float = math.inf
    """Infinite if the spread is not known."""
    verdict: Verdict
    why: str = ""

    @property
    def low(self) -> float:
        """Return the lower end of the interval."""
        return self.value - self.half

    @property
    def high(self) -> float:
        """Return the upper end of the interval."""
        return self.value + self.half

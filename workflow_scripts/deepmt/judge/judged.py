"""Represent what the rules make of a number."""

import math
from dataclasses import dataclass
from typing import Generic, TypeVar

Verdict = TypeVar("Verdict", bound=str, covariant=True)


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

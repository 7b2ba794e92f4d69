"""Represent findings of a figure: a text, and facts that claims refer to."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from deepmt.metrics.interval import Error, half_width
from deepmt.metrics.spread import mean_and_spread

Fact = bool | float | None


class Finding(NamedTuple):
    """Hold the findings of a figure in one line, and facts that claims refer to."""

    text: str
    facts: dict[str, Fact]
    """A fact is None if its points are missing, or its 95 % interval does not decide it."""


def finding(sentences: Sequence[str], facts: Mapping[str, Fact]) -> Finding:
    """Return one text, and the facts by the names in claims: "DS-Init, 6L" is ds_init_6l."""
    slugs = {re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_"): f for name, f in facts.items()}
    return Finding(" ".join(sentences) or "Not run.", slugs)


def all_of(facts: Iterable[bool | None]) -> bool | None:
    """Return False if one is false, else None if one is undecided or there is none."""
    found = set(facts)
    return False if False in found else None if None in found or not found else True


def is_positive(value: float, errors: Iterable[Error]) -> bool | None:
    """Return if a value is above 0; None if it is missing or its interval contains 0."""
    return bool(value > 0) if abs(value) > half_width(errors) else None


def above(one: Iterable[float] | float, other: Iterable[float] | float) -> bool | None:
    """Return if one mean over seeds is above another one; a number has no spread."""
    sides = [[*side] if isinstance(side, Iterable) else [side, side] for side in (one, other)]
    if not all(sides) or not all(math.isfinite(value) for side in sides for value in side):
        return None
    means, errors = zip(*map(_mean_and_error, sides), strict=True)
    return is_positive(means[0] - means[1], errors)


def _mean_and_error(values: Sequence[float]) -> tuple[float, Error]:
    mean, spread = mean_and_spread(values)
    return mean, Error((spread or 0.0) / math.sqrt(len(values)), len(values) - 1)


def agreed(verdicts: Iterable[bool | None]) -> bool | None:
    """Return the verdict of all seeds; None if there are none, one is None, or they disagree."""
    found = set(verdicts)
    return found.pop() if len(found) == 1 else None


def short(value: float) -> str:
    """Format a number with two significant digits below ten, and one decimal above."""
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2g}"


def listed(parts: Iterable[str]) -> str:
    """Join distinct words as in a sentence: "a, b and c"."""
    *some, last = dict.fromkeys(parts) or [""]
    return f"{', '.join(some)} and {last}" if some else last

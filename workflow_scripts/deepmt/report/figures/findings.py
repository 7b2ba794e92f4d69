"""Represent findings of a figure: a text, and facts that claims refer to."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Fact = bool | float | None


class Finding(NamedTuple):
    """Hold the findings of a figure in one line, and facts that claims refer to."""

    text: str
    facts: dict[str, Fact]
    """A fact is None if its points are missing."""


def finding(sentences: Sequence[str], facts: Mapping[str, Fact]) -> Finding:
    """Return one text, and the facts by the names in claims: "DS-Init, 6L" is ds_init_6l."""
    slugs = {re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_"): f for name, f in facts.items()}
    return Finding(" ".join(sentences) or "Not run.", slugs)


def decided(holds: Iterable[bool], *needed: Iterable[float]) -> bool | None:
    """Return if all conditions hold; None if there are none, or a needed value is NaN."""
    conditions = [bool(condition) for condition in holds]
    if not conditions or any(math.isnan(value) for part in needed for value in part):
        return None
    return all(conditions)


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

"""Findings: one line computed from the points, and the facts that claims may ask for."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Fact = bool | float | None


class Finding(NamedTuple):
    """What a figure shows, in one line, and what claims may ask of it."""

    text: str
    facts: dict[str, Fact]
    """A fact is None where its points are missing."""


def slug(text: str) -> str:
    """A name that a fact may have: "DS-Init, 6L" is ds_init_6l."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def decided(holds: Iterable[bool], *needed: Iterable[float]) -> bool | None:
    """Whether it holds everywhere; None if there is nothing, or a value that it needs is NaN."""
    conditions = [bool(condition) for condition in holds]
    if not conditions or any(math.isnan(value) for part in needed for value in part):
        return None
    return all(conditions)


def finite(value: float) -> float | None:
    """A number, or None in place of NaN and infinities, which JSON does not know."""
    return float(value) if math.isfinite(value) else None


def short(value: float) -> str:
    """Two significant digits below ten, and one decimal above."""
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2g}"


def span(values: Sequence[float]) -> str:
    """Least and greatest, e.g. "0.46 to 0.78"."""
    ends = [short(value) for value in (min(values), max(values))]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def listed(parts: Sequence[str]) -> str:
    """Words as a sentence lists them: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))

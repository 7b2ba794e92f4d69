"""Represent the points of a figure: ours, including missing ones, and the paper's."""

import math
from collections.abc import Iterable
from typing import Any, Literal

import pandas as pd

from deepmt.measured.failures import FAILED_AT

FigureStatus = Literal["measured", "partial", "not-run", "not-drawn"]
Point = dict[str, Any]
"""Some of the columns, by name."""
BLANK: dict[str, Any] = {
    "panel": "", "series": "", "x": math.nan, "y": math.nan, "spread": math.nan, "run": "",
    "seed": "", "source": "ours", "note": "", "seeds": math.nan,
}  # fmt: skip


def as_points(points: Iterable[Point]) -> pd.DataFrame:
    """Return one line per point; a missing point has no y, and a note with the reason.

    `source` is "ours", or "paper" for printed values; `seeds` counts seeds or rounds behind y.
    """
    lines = [BLANK | point for point in points]
    frame = pd.DataFrame(lines, columns=None if lines else list(BLANK))
    return frame.astype({"y": float, "spread": float})


def curve(points: pd.DataFrame, panel: str, series: str, source: str = "ours") -> pd.DataFrame:
    """Return the points of one series that have values, from left to right."""
    own = points[(points.panel == panel) & (points.series == series) & (points.source == source)]
    return own.dropna(subset="y").sort_values("x", kind="stable")


def ours(points: pd.DataFrame) -> pd.DataFrame:
    """Return our own points that have values."""
    return points[points.source == "ours"].dropna(subset="y")


def failed(points: pd.DataFrame) -> pd.DataFrame:
    """Return our own points that have no value because all seeds failed to train."""
    return points[points.y.isna() & points.note.map(FAILED_AT.search).notna()]


def status(points: pd.DataFrame) -> tuple[FigureStatus, str]:
    """Return if all, some or none of our points were run, and the number that was not."""
    total = (points.source == "ours").sum()
    absent = total - len(ours(points)) - len(failed(points))
    if absent == total:
        return "not-run", ""
    return ("partial", f"Not run: {absent} of {total} points.") if absent else ("measured", "")


def missing(points: pd.DataFrame) -> list[str]:
    """Return our own points without a value, with the reasons."""
    gaps = points[(points.source == "ours") & points.y.isna()]
    return list(dict.fromkeys(f"{_name(p)}: {p.note or 'not run'}" for p in gaps.itertuples()))


def _name(point: Any) -> str:
    place = ", ".join(filter(None, (point.panel, point.series)))
    if isinstance(point.x, str):
        return f"{place} at {point.x}"
    return f"{place} at {point.x:g}" if point.x == point.x else place

"""The points of a figure: ours, the missing ones among them, and what the paper prints."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import pandas as pd

BLANK: dict[str, Any] = {
    "panel": "", "series": "", "x": math.nan, "y": math.nan, "spread": math.nan, "run": "",
    "seed": "", "source": "ours", "note": "",
}  # fmt: skip


def as_points(points: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return one line for each point; one that is missing has no y, and its note says why.

    `source` is "ours", or "paper" for what is printed.
    """
    frame = pd.DataFrame([BLANK | dict(point) for point in points], columns=list(BLANK))
    return frame.astype({"y": float, "spread": float})


def curve(points: pd.DataFrame, panel: str, series: str, source: str = "ours") -> pd.DataFrame:
    """Return the points of one series that are there, from left to right."""
    own = points[(points.panel == panel) & (points.series == series) & (points.source == source)]
    return own.dropna(subset="y").sort_values("x", kind="stable")


def ours(points: pd.DataFrame) -> pd.DataFrame:
    """Return our own points that are there."""
    return points[points.source == "ours"].dropna(subset="y")


def diverged(points: pd.DataFrame) -> pd.DataFrame:
    """Return our own points that have no value because no seed learned anything."""
    return points[points.y.isna() & points.note.str.contains("diverged")]


def status(points: pd.DataFrame) -> tuple[Literal["measured", "partial", "not-run"], str]:
    """Tell whether all, some or none of our points were run, and how many were not."""
    total = (points.source == "ours").sum()
    absent = total - len(ours(points)) - len(diverged(points))
    if absent == total:
        return "not-run", ""
    return ("partial", f"Not run: {absent} of {total} points.") if absent else ("measured", "")


def missing(points: pd.DataFrame) -> list[str]:
    """Name our own points that have no value, and say why."""
    gaps = points[(points.source == "ours") & points.y.isna()]
    return list(dict.fromkeys(f"{_name(p)}: {p.note or 'not run'}" for p in gaps.itertuples()))


def _name(point: Any) -> str:
    place = ", ".join(filter(None, (point.panel, point.series)))
    if isinstance(point.x, str):
        return f"{place} at {point.x}"
    return f"{place} at {point.x:g}" if point.x == point.x else place

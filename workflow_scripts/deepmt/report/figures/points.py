"""The points of a figure: one line each, those that are missing among them with their reason."""

from collections.abc import Iterable
from typing import Any, Literal

import pandas as pd

COLUMNS = ("panel", "series", "x", "y", "spread", "run", "seed", "source", "note")
Status = Literal["measured", "partial", "not-run"]


def table_of(points: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Points as a table; `source` is "ours" unless it says "paper".

    A point that is missing has no y and tells in `note` why.
    """
    frame = pd.DataFrame(list(points), columns=list(COLUMNS), dtype=object)
    text = ["panel", "series", "run", "seed", "note"]
    frame[text] = frame[text].fillna("").astype(str)
    frame["source"] = frame["source"].fillna("ours")
    named = frame["x"].map(lambda x: isinstance(x, str)).any()
    return frame.astype({"y": float, "spread": float} | ({} if named else {"x": float}))


def ours(points: pd.DataFrame) -> pd.DataFrame:
    """Our own points that are there."""
    return points[(points.source == "ours") & points.y.notna()]


def curve(points: pd.DataFrame, panel: str, series: str, source: str = "ours") -> pd.DataFrame:
    """The points of one series that are there, from left to right."""
    own = (points.panel == panel) & (points.series == series) & (points.source == source)
    return points[own & points.y.notna()].sort_values("x", kind="stable")


def diverged(points: pd.DataFrame) -> pd.DataFrame:
    """Our points that have no value because no seed learned anything: a result, too."""
    return points[points.y.isna() & points.note.str.contains("diverged")]


def waiting(points: pd.DataFrame) -> pd.DataFrame:
    """Our points that were neither measured nor diverged."""
    own = points[points.source == "ours"]
    return own[own.y.isna() & ~own.note.str.contains("diverged")]


def missing(points: pd.DataFrame) -> list[str]:
    """What was not run or diverged, and why, in the order of the points."""
    gaps = points[(points.source == "ours") & points.y.isna()]
    found = [f"{name(point)}: {point.note or 'not run'}" for point in gaps.itertuples()]
    return list(dict.fromkeys(found))


def name(point: Any) -> str:
    """A point as a reader would name it."""
    where = f" at {point.x:g}" if isinstance(point.x, int | float) and point.x == point.x else ""
    where = f" at {point.x}" if isinstance(point.x, str) and point.x else where
    return ", ".join(part for part in (point.panel, point.series) if part) + where


def status(points: pd.DataFrame) -> Status:
    """Whether all, some or none of our points are settled."""
    absent, own = len(waiting(points)), (points.source == "ours").sum()
    return "not-run" if absent == own else "partial" if absent else "measured"

"""Courses of systems as points, one a look, each seed by itself; and their curves."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from deepmt.config.figure_option_parts import Line
from deepmt.report.figures import style
from deepmt.report.figures.points import curve
from deepmt.report.figures.sources import Sources
from deepmt.results.courses import Course, Courses, read_courses

UNSEEN = "was not looked at while it trained"
DIVERGED = "diverged at update"
SHOWN = 6
"""Markers on a curve: enough to tell curves apart in grey."""
Values = Mapping[int, float | None]


def courses(sources: Sources) -> Courses:
    """Those of every run, as far as they are there."""
    return read_courses(
        results=sources.results,
        shelf=sources.shelf,
        specs=sources.ledger.specs.values(),
        scale=sources.ledger.scale,
    )


def seeds_of(system: str, known: Courses, sources: Sources) -> tuple[tuple[Course, ...], list[str]]:
    """Courses of a system, one a seed, and what is missing and why."""
    spec = sources.spec(system)
    if spec is None:
        return (), [sources.ledger.unavailable[sources.row(system).id]]
    found = known.of(spec.run)
    refused = [f"course refused: {message}" for message in known.refused(spec.run)]
    return found, refused or ([] if found else ["not run"])


def points_of(
    system: str,
    place: dict[str, Any],
    see: Callable[[Course], Values],
    known: Courses,
    sources: Sources,
) -> list[dict[str, Any]]:
    """What `see` finds at each update of each seed; a seed's last point says if it diverged."""
    found, reasons = seeds_of(system, known, sources)
    ends = {entry.record.seed: entry.record.diverged for entry in sources.entries(system)}
    points = [place | {"note": reason} for reason in reasons]
    for course in found:
        own = place | {"run": course.run, "seed": str(course.seed)}
        seen = [own | {"x": x, "y": y} for x, y in see(course).items() if y is not None]
        end = ends.get(course.seed)
        seen = seen or [own | {"note": f"seed {course.seed} {UNSEEN}"}]
        if end is not None:
            notes = [seen[-1].get("note", ""), f"{DIVERGED} {end.update}"]
            seen[-1]["note"] = ", ".join(filter(None, notes))
        points += seen
    return points


def by_seed(points: pd.DataFrame, panel: str, series: str) -> dict[str, pd.Series]:
    """Values by update, one series a seed."""
    own = curve(points, panel, series)
    return {str(k): pd.Series(s.y.to_numpy(), index=s.x) for k, s in own.groupby("seed")}


def ends(points: pd.DataFrame, panel: str, series: str) -> dict[str, bool]:
    """Whether each seed diverged, also one that was not seen."""
    own = points[(points.panel == panel) & (points.series == series) & (points.seed != "")]
    return {str(k): bool(s.note.str.contains(DIVERGED).any()) for k, s in own.groupby("seed")}


def draw_course(axes: Axes, points: pd.DataFrame, panel: str, line: Line, position: int) -> None:
    """Every seed has the same look; a cross ends one that diverged."""
    look = style.look(line, position)
    for number, (_, seed) in enumerate(curve(points, panel, line.label).groupby("seed")):
        every = max(1, len(seed) // SHOWN)
        once = {"label": line.label} if number == 0 else {"linewidth": 0.8}
        axes.plot(seed.x, seed.y, markevery=every, **look | once)
        if DIVERGED in seed.note.iloc[-1]:
            axes.plot(seed.x.iloc[-1:], seed.y.iloc[-1:], **look | style.CROSS | {"color": "black"})

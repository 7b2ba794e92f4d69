"""Decoding speed against depth, as in Wang 2019, Figure 4: the paper's sizes, random weights."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.figure_options import SpeedByDepth
from deepmt.config.papers import Figure
from deepmt.report.figures import style
from deepmt.report.figures.curves import draw_curves, places
from deepmt.report.figures.depth_facts import by_depth
from deepmt.report.figures.facts import Fact, Finding, decided, finite, slug
from deepmt.report.figures.points import ours, table_of
from deepmt.report.figures.sources import Sources

MEASURE = "tokens_per_s"
STRAIGHT = 0.95
"""Share of the variance that a straight line must explain."""


def gather(figure: Figure, sources: Sources) -> pd.DataFrame:
    """A point a system, from speed.csv."""
    options: SpeedByDepth = figure.draw
    lines = sources.measured("speed.csv")
    points: list[dict[str, Any]] = []
    for label, system in places(options):
        depth = sources.depth(system, options.depth)
        place = {"panel": options.label, "series": label, "x": depth}
        points.append(place | _speed(lines, figure.id, system))
    return table_of(points)


def _speed(lines: pd.DataFrame | None, figure: str, system: str) -> dict[str, Any]:
    missing = {"note": "not measured: run the target speed"}
    if lines is None:
        return missing
    own = lines[(lines.table == figure) & (lines.row == system) & (lines.measure == MEASURE)]
    found = [{"y": p.ours, "spread": p.spread, "note": p.note} for p in own.itertuples()]
    return found[0] if found else missing


def label(points: pd.DataFrame, sources: Sources) -> str:
    """The machine; the same at every scale."""
    notes = list(dict.fromkeys(ours(points).note))
    if not notes:
        return "Nothing of this figure has been measured."
    apart = "Speeds belong to a machine: not comparable with the paper's."
    return f"The paper's sizes on {'; '.join(notes)}. {apart}"


def draw(points: pd.DataFrame, figure: Figure) -> Plot:
    """Curves, and levels to compare them with."""
    options: SpeedByDepth = figure.draw
    plot, axes = style.new_figure([options.label], height=2.0)
    [one] = axes.values()
    draw_curves(one, points, options.label, options)
    one.set_ylabel(options.y)
    one.set_xlabel(options.x)
    style.legend(plot, axes.values())
    return plot


def find(points: pd.DataFrame, figure: Figure) -> Finding:
    """Whether speed falls along a straight line, and how it stands to the reference."""
    options: SpeedByDepth = figure.draw
    [reference] = [level.label for level in options.levels if level.system == options.reference]
    level = by_depth(points, reference).iloc[0]
    facts: dict[str, Fact] = {}
    texts = []
    for line in options.lines:
        speeds = by_depth(points, line.label)
        straight = explained(speeds)
        own: dict[str, Fact] = {
            "falls with depth": decided(speeds.diff().iloc[1:] < 0, speeds),
            "is a straight line": None if straight is None else straight >= STRAIGHT,
            "variance explained by a line": straight,
        }
        for depth, speed in speeds.items():
            own[f"at {depth:g} over {reference}"] = finite(speed / level)
            own[f"at {depth:g} faster than {reference}"] = decided([speed > level], [speed, level])
        facts |= {slug(f"{line.label} {name}"): fact for name, fact in own.items()}
        if straight is not None:
            (low, fast), *_, (high, slow) = speeds.items()
            texts.append(
                f"{line.label} makes {fast:.0f} tokens a second at {low:g} layers and {slow:.0f} at"
                f" {high:g}; a straight line explains {100 * straight:.0f} % of that. At {high:g}"
                f" layers it is {slow / level:.2f} times as fast as {reference}."
            )
    return Finding(" ".join(texts) or "Not measured.", facts)


def explained(values: pd.Series) -> float | None:
    """The share of a curve's variance that a straight line explains; None if points are missing."""
    if len(values) < 3 or not np.isfinite(values).all():
        return None
    return float(np.corrcoef(values.index, values)[0, 1] ** 2)

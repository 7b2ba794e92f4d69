"""Score against depth, one system a point, as in Zhang 2019 and Wang 2019, Figure 3."""

from math import isfinite
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.figure_options import DepthPanel, ScoreByDepth
from deepmt.config.papers import Column, Figure, Paper, Row, Table
from deepmt.report.figures import style
from deepmt.report.figures.curves import draw_curves, places
from deepmt.report.figures.depth_facts import against_level, by_depth, of_curve, told
from deepmt.report.figures.facts import Fact, Finding
from deepmt.report.figures.points import table_of
from deepmt.report.figures.sources import Sources
from deepmt.results.cell_values import answer

PRINTED = ", as printed"


def gather(figure: Figure, sources: Sources) -> pd.DataFrame:
    """Our scores, then those that the paper's tables print, in panels of their own.

    At the paper's own scale both stand in one panel.
    """
    options: ScoreByDepth = figure.draw
    points: list[dict[str, Any]] = []
    for panel in options.panels.values():
        [table] = [t for t in sources.paper.tables if t.id == panel.table]
        column = table.columns[panel.column]
        named = list(places(panel))
        own, printed = _titles(panel, [system for _, system in named], sources)
        for label, system in named:
            depth = sources.depth(system, options.depth)
            score = _score(system, table, column, sources)
            points.append({"panel": own, "series": label, "x": depth} | score)
        for label, system in named:
            value = published(sources.paper, system, column)
            if value is not None:
                depth = sources.depth(system, options.depth)
                place = {"panel": printed, "series": label, "x": depth}
                points.append(place | {"y": value, "source": "paper"})
    return table_of(points)


def _titles(panel: DepthPanel, systems: list[str], sources: Sources) -> tuple[str, str]:
    """Names of our panel and of the paper's: one name where both are of the same thing."""
    if all(sources.ledger.comparable(sources.row(system)) for system in systems):
        return panel.label, panel.label
    specs = [sources.spec(system) for system in systems]
    corpora = dict.fromkeys(spec.data.corpus for spec in specs if spec is not None)
    here = f" (here: {', '.join(corpora)})" if corpora else ""
    return panel.label + here, panel.label + PRINTED


def _score(system: str, table: Table, column: Column, sources: Sources) -> dict[str, Any]:
    """Mean over seeds as the tables have it; none of a system that diverged."""
    # Without marks and measures of its own, which belong to another table's columns.
    row = Row(id=sources.row(system).id, label=system, status="trained", system=system, values={})
    found = answer(sources.paper, table, row, column, sources.ledger)
    lost = found.status == "diverged"
    entries = sources.entries(system)
    used = [e.record.seed for e in entries if lost or e.record.outcome == "finished"]
    return {
        "y": None if lost else found.ours,
        "spread": None if lost else found.spread,
        "run": entries[0].record.run if entries else "",
        "seed": " ".join(map(str, used)),
        "note": "; ".join(found.notes),
    }


def published(paper: Paper, system: str, column: Column) -> float | None:
    """What a table of the paper prints for a system in such a column; the first one counts."""
    alike = ("measure", "set", "sets", "of")
    for table in paper.tables:
        for row in table.rows:
            for key, other in table.columns.items():
                same = all(getattr(column, part) == getattr(other, part) for part in alike)
                if row.system == system and same and row.values.get(key) is not None:
                    return row.values[key]
    return None


def draw(points: pd.DataFrame, figure: Figure) -> Plot:
    """Ours first, then what is printed."""
    options: ScoreByDepth = figure.draw
    panels = dict(zip(_titled(points), options.panels.values(), strict=True))
    panels |= {panel.label + PRINTED: panel for panel in options.panels.values()}
    plot, axes = style.new_figure(list(dict.fromkeys(points.panel)), height=1.55)
    for title, one in axes.items():
        for source in dict.fromkeys(points[points.panel == title].source):
            draw_curves(one, points, title, panels[title], source, panels[title].better)
        if panels[title].better == "lower":
            style.logarithmic(one)
        one.set_ylabel(panels[title].y)
        one.set_xlim(*_limits(points))
    one.set_xlabel(options.x)
    style.legend(plot, axes.values())
    return plot


def _limits(points: pd.DataFrame) -> tuple[float, float]:
    """The same depths in every panel, with a little room."""
    room = 0.05 * (points.x.max() - points.x.min() or 1)
    return points.x.min() - room, points.x.max() + room


def _titled(points: pd.DataFrame) -> list[str]:
    """Titles of our panels, in the order of the options."""
    return list(dict.fromkeys(points[points.source == "ours"].panel))


def find(points: pd.DataFrame, figure: Figure) -> Finding:
    """Where each curve is best, and how it stands to the levels."""
    options: ScoreByDepth = figure.draw
    facts: dict[str, Fact] = {}
    texts = []
    for title, (key, panel) in zip(_titled(points), options.panels.items(), strict=True):
        own = points[points.panel == title]
        prefix = f"{key} " if len(options.panels) > 1 else ""
        sign = 1 if panel.better == "higher" else -1
        levels = {lv.label: by_depth(own, lv.label, sign).iloc[0] for lv in panel.levels}
        words = []
        for line in panel.lines:
            scores = by_depth(own, line.label, sign)
            name = prefix + line.label
            facts |= of_curve(name, scores, options.at)
            for level in levels.items():
                facts |= against_level(name, scores, level, options.at, options.alike)
            words.append(told(line.label, scores))
        words += [
            f"{name} has {abs(level):.1f}" for name, level in levels.items() if isfinite(level)
        ]
        said = "; ".join(word for word in words if word)
        texts += [f"{panel.label}: {said}." if prefix else f"{said}."] if said else []
    return Finding(" ".join(texts) or "Not run.", facts)

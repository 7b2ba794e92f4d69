"""Draw scores and decoding speed over encoder depth, one point per system."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Plot

from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import Point, curve, failed, ours
from deepmt.report.figures.plotting import CROSS, MUTED, logarithmic, new_figure, styles
from deepmt.study.figure_options import DepthPanel, ScorePanel
from deepmt.study.papers import Column, Paper, find_table

HOLLOW: dict[str, Any] = {"markerfacecolor": "white", "linewidth": 0.8}
"""Style of the paper's values."""


def labelled_systems(panel: DepthPanel) -> Iterator[tuple[str, str]]:
    """Yield the label and system of every point and level."""
    yield from ((line.label, system) for line in panel.lines for system in line.systems)
    yield from ((level.label, level.system) for level in panel.levels)


def draw_panel(axes: Axes, points: pd.DataFrame, panel: DepthPanel, worst: float = 0.04) -> None:
    """Draw ours with filled markers and spreads, the paper's with hollow ones.

    A system that failed to train gets a cross at `worst`, a fraction of the height.
    """
    by_label = styles(label for label, _ in labelled_systems(panel))
    [title] = points.panel.unique()
    for source in points.source.unique():
        for line in panel.lines:
            own = curve(points, title, line.label, source)
            style = by_label[line.label] | (HOLLOW if source == "paper" else {})
            if len(own):
                axes.plot(own.x, own.y, label=line.label, **style)
                axes.errorbar(own.x, own.y, own.spread, fmt="none", ecolor=style["color"])
        for level in panel.levels:
            for y in curve(points, title, level.label, source).y:
                style = by_label[level.label] | {"marker": "", "linewidth": 1}
                axes.axhline(y, label=level.label, **style)
    for label, lost in failed(points).groupby("series", sort=False):
        cross = by_label[label] | CROSS | {"transform": axes.get_xaxis_transform()}
        axes.plot(lost.x, [worst] * len(lost), **cross)
    if len(failed(points)):
        axes.plot([], [], label="failed", **CROSS | {"color": MUTED})
    axes.set_xticks(sorted(points.x.dropna().unique()))
    axes.set_ylabel(panel.y)


class ScoreByDepthFigure(FigureKind):
    """Draw scores as in Zhang 2019 and Wang 2019, Figure 3."""

    def gather(self) -> Iterator[Point]:
        """Yield our scores, then those printed in the paper's tables, in separate panels.

        At the paper's own scale, both share one panel.
        """
        for panel in self.options.panels:
            column = self.column(panel)
            title, printed_title = self.titles(panel)
            printed = []
            for label, system in labelled_systems(panel):
                place = {"series": label, "x": self.data.depth(system)}
                yield {"panel": title} | place | self.data.score(system, panel.table, column)
                theirs = {"panel": printed_title, "source": "paper"} | place
                values = published(self.data.paper, system, column)
                printed += [theirs | {"y": y} for y in values[:1]]
            yield from printed

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw our panels, then the printed ones, over the same depths."""
        plot, axes = new_figure(points.panel, height=2.0)
        low, high = points.x.min(), points.x.max()
        room = 0.05 * (high - low or 1)
        panels = {title: panel for panel in self.options.panels for title in self.titles(panel)}
        for title, ax in axes.items():
            lower = self.column(panels[title]).better == "lower"
            own = points[points.panel == title]
            draw_panel(ax, own, panels[title], worst=0.96 if lower else 0.04)
            if lower:
                logarithmic(ax)
            ax.set_xlim(low - room, high + room)
        ax.set_xlabel(self.options.x)
        return plot

    def titles(self, panel: ScorePanel) -> tuple[str, str]:
        """Return the titles of our panel and the printed one, which are one where comparable."""
        systems = [system for _, system in labelled_systems(panel)]
        if self.data.comparable(systems):
            return panel.label, panel.label
        corpora = ", ".join(self.data.corpora(systems))
        ours = f"{panel.label} (here: {corpora})" if corpora else panel.label
        return ours, f"{panel.label}, as printed"

    def column(self, panel: ScorePanel) -> Column:
        """Return the column in which the paper prints the scores of a panel."""
        return find_table(self.data.paper, panel.table).columns[panel.column]


def published(paper: Paper, system: str, column: Column) -> list[float]:
    """Return the values that the paper prints for a system in equivalent columns."""
    printed = (
        row.values.get(key)
        for table in paper.tables
        for row in table.rows
        for key, other in table.columns.items()
        if row.system == system
        and (other.measure, other.split, other.splits, other.of)
        == (column.measure, column.split, column.splits, column.of)
    )
    return [value for value in printed if value is not None]


class SpeedByDepthFigure(FigureKind):
    """Draw decoding speed at the paper's sizes, random weights, as in Wang 2019, Figure 4."""

    about = "Speeds depend on the machine: not comparable with the paper's."

    def gather(self) -> Iterator[Point]:
        """Yield a point for each system, from speed.csv."""
        for label, system in labelled_systems(self.options):
            place = {"panel": self.options.label, "series": label, "x": self.data.depth(system)}
            where = {"table": self.figure.id, "row": system, "measure": "tokens_per_s"}
            yield from [
                place
                | {"y": line.ours, "spread": line.spread, "seeds": line.rounds, "note": line.note}
                for line in self.data.measured("speed.csv", **where)
            ] or [place | {"note": "not measured: run the target speed"}]

    def label(self, points: pd.DataFrame) -> str:
        """Return the machine, which is the same at every scale."""
        notes = "; ".join(ours(points).note.unique())
        sizes = f"The paper's sizes on {notes}. " if notes else ""
        return sizes + super().label(points)

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw the curves and the reference levels."""
        plot, axes = new_figure([self.options.label], height=2.0)
        draw_panel(axes[self.options.label], points, self.options)
        axes[self.options.label].set_xlabel("encoder layers")
        return plot

"""Draw quality on dev against budget: passes over the text, and core hours of one processor."""

import math
from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Plot

from deepmt.measured.core_seconds import HOUR, core_seconds
from deepmt.measured.failures import failures
from deepmt.measured.seeds import trains
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import Point, curve
from deepmt.report.figures.plotting import logarithmic, name_lines, new_figure, styles
from deepmt.study.measures import PPL
from deepmt.study.papers import settings_of

PANELS = {PPL: "dev perplexity", "chrf": "chrF on dev", "bleu": "BLEU on dev"}
"""Quantities, and their names."""
FIRST = 1 / 6
"""Of the passes: where curves begin. From the first on, their ends fill a twentieth of an axis."""
SHALLOW = (
    {"color": "#333333", "linestyle": "-"},
    {"color": "#555555", "linestyle": "--"},
    {"color": "#777777", "linestyle": ":"},
    {"color": "#aaaaaa", "linestyle": "-"},
)
"""Looks of shallow systems, in order."""


class OverBudgetFigure(FigureKind):
    """Draw perplexity against passes and against core hours; the points have chrF and BLEU too."""

    def gather(self) -> Iterator[Point]:
        """Yield a point per system, quantity, seed and milestone that has it; x is in passes."""
        costs = core_seconds(self.data.archive)
        for line in self.options.lines:
            every = self.data.results.records_of(self.data.row(line.system).id)
            records = [record for record in every if record.milestones and trains(record)]
            cost = costs.get(records[0].run, math.nan) if records else math.nan
            # Batches of two seeds differ a little; those of a system share its x.
            passes = records[0].epochs / records[0].updates if records else math.nan
            for panel in PANELS:
                place = {"panel": PANELS[panel], "series": line.label}
                found = [
                    place
                    | {"run": one.run, "seed": str(one.seed), "y": value}
                    | {"x": update * passes, "core_hours": update * cost / HOUR}
                    for one in records
                    for update, value in one.curve(panel, "dev").items()
                ]
                reason = failures(every) or "not run to any milestone"
                yield from found or [place | {"note": reason, "core_hours": math.nan}]

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw a panel for each kind of budget."""
        plot, axes = new_figure(("x", "core_hours"), height=2.6)
        for x, ax in axes.items():
            ax.set_title("")
            self.draw_panel(ax, points, x)
        return plot

    def draw_panel(self, ax: Axes, points: pd.DataFrame, x: str) -> None:
        """Draw the mean of each system's seeds in a band of all of them, shallow ones in grey."""
        deep = [line for line in self.options.lines if not self._shallow(line.system)]
        shallow = [line for line in self.options.lines if self._shallow(line.system)]
        looks = styles(line.label for line in deep)
        for line, look in zip(shallow, cycle(SHALLOW), strict=False):
            looks[line.label] = look | {"marker": ""}
        name = PANELS[PPL]
        for line in (*shallow, *deep):
            own = curve(points, name, line.label)
            draw_system(ax, own[own.x > FIRST * points.x.max()], x, line.label, looks)
        logarithmic(ax)
        name_lines(ax)
        passes = "passes over the training text"
        ax.set(xlabel=passes if x == "x" else "core hours", ylabel=name)

    def _shallow(self, system: str) -> bool:
        return settings_of(self.data.paper, system)["encoder.layers"] == "shallow"


def draw_system(
    ax: Axes, own: pd.DataFrame, x: str, label: str, looks: Mapping[str, dict[str, Any]]
) -> None:
    """Draw the mean over seeds at each milestone that all of them reached, and their range."""
    own = own.dropna(subset=[x])
    if own.empty:
        return
    by_milestone = own.groupby(x).y
    whole = by_milestone.count() == own.seed.nunique()
    mean = by_milestone.mean()[whole]
    ax.plot(mean.index, mean, label=label, **looks[label])
    ax.fill_between(
        mean.index,
        by_milestone.min()[whole],
        by_milestone.max()[whole],
        color=looks[label]["color"],
        alpha=0.15,
        linewidth=0,
    )

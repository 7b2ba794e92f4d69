"""Draw quality on dev against budget: passes over the text, and core hours of one processor."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.measured.core_seconds import HOUR, core_seconds
from deepmt.measured.failures import failures
from deepmt.measured.seeds import trains
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import Point, curve, ours
from deepmt.report.figures.plotting import logarithmic, styles
from deepmt.study.measures import PPL

PANELS = {PPL: "dev perplexity", "chrf": "chrF on dev", "bleu": "BLEU on dev"}
"""Quantities, and their names."""
FIRST = 1 / 6
"""Of the passes: where curves begin. From the first on, their ends fill a twentieth of an axis."""
BUDGETS = {"x": "passes over the training text", "core_hours": "core hours"}
"""Columns of the points, and their names."""
DASHES = ("--", "-", ":")


class OverBudgetFigure(FigureKind):
    """Draw perplexity against passes and against core hours; the points have chrF and BLEU too."""

    def gather(self) -> Iterator[Point]:
        """Yield a point per system, quantity, seed and milestone that has it; x is in passes."""
        costs = core_seconds(self.data.archive, self.data.results.runs)
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

    def label(self, points: pd.DataFrame) -> str:
        """Return the scale, and what lines and bands are."""
        if ours(points).empty:
            return super().label(points)
        return (
            f"{self.data.results.scale_title}, on the dev set. Lines are means over seeds, of which"
            " the brackets hold the number; bands hold all seeds. A colour is a method, dashes are"
            " a depth, and dots mark another dropout."
        )

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw a panel for each kind of budget."""
        return self.draw_over(points, *BUDGETS)

    def draw_over(self, points: pd.DataFrame, *budgets: str) -> Plot:
        """Draw the mean of each system's seeds in a band of all of them, the best one first."""
        labels = [line.label for line in self.options.lines]
        every = {label: curve(points, PANELS[PPL], label) for label in labels}
        shown = {label: own[own.x > FIRST * points.x.max()] for label, own in every.items()}
        whole = {label: course(own, "x")["mean"] for label, own in shown.items()}
        ends = {label: float(mean.iloc[-1]) for label, mean in whole.items() if len(mean)}
        looks = looks_of(ends)
        plot = Plot(figsize=(2.5 + 2.9 * len(budgets), 3.2))
        [axes] = plot.subplots(1, len(budgets), sharey=True, squeeze=False)
        for ax, x in zip(axes, budgets, strict=True):
            for label in sorted(ends, key=ends.__getitem__):
                own, look = course(shown[label], x), looks[label]
                if own.empty:
                    continue
                name = f"{label} ({shown[label].seed.nunique()})"
                ax.plot(own.index, own["mean"], label=name, **look)
                band = {"color": look["color"], "alpha": 0.15, "linewidth": 0}
                ax.fill_between(own.index, own["min"], own["max"], **band)
            ax.set_xlabel(BUDGETS[x])
            if x == "x":
                passes = sorted({round(x, 1) for own in shown.values() for x in own.x})
                ax.set_xticks(passes, [f"{x:g}" for x in passes])
        logarithmic(axes[0])
        axes[0].set_ylabel(f"{PANELS[PPL]}, lower is better")
        named = axes[0].get_legend_handles_labels()
        plot.legend(*named, loc="outside right upper", title="best first (seeds)")
        return plot


def looks_of(labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return a colour a method and dashes a depth, of names like "12+12 T-Fixup, dropout 0.2"."""
    parts = {label: label.partition(" ")[::2] for label in labels}
    methods = styles(name.partition(",")[0] for _, name in parts.values())
    depths = dict(zip(dict.fromkeys(depth for depth, _ in parts.values()), DASHES, strict=False))
    return {
        label: {
            "color": methods[name.partition(",")[0]]["color"],
            "linestyle": depths[depth],
            "marker": "o" if "," in name else "",
        }
        for label, (depth, name) in parts.items()
    }


def course(own: pd.DataFrame, x: str) -> pd.DataFrame:
    """Return the mean over seeds at each milestone that all of them reached, and their range."""
    found = own.groupby(x).y.agg(["mean", "min", "max", "count"])
    return found[found["count"] == own.seed.nunique()]

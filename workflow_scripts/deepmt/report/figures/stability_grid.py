"""Draw which systems of a table trained, and which failed or learned nothing."""

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot
from matplotlib.patches import Patch, Rectangle

from deepmt.config.papers import find_table
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import as_points
from deepmt.report.figures.findings import Finding, finding, listed
from deepmt.report.figures.plotting import new_figure
from deepmt.results.failures import FAILED_AT, failures
from deepmt.results.records import Record
from deepmt.results.run_outcome import best_bleu, trains

TRAINED, PARTLY, FAILED = "trained", "with some seeds", "failed (update or BLEU)"
COLOURS = {TRAINED: "#cfe5f3", PARTLY: "#f4e3b2", FAILED: "#f0b49a"}


class StabilityGridFigure(FigureKind):
    """Draw a grid with a row per method and a column per depth and learning rate."""

    def gather(self, data: FigureData) -> pd.DataFrame:
        """Return a point per row of the table; y is the share of its seeds that trained."""
        points = []
        for row in find_table(self.paper, self.options.table).rows:
            records = data.results.records_of(row)
            place = data.settings(row, "encoder.layers", "training.lr")
            x = {"x": "{:g} layers, rate {:g}".format(*place)} if place else {}
            missing = {"note": data.results.unavailable.get(row.id, "not run")}
            point = {"series": row.label} | x | (outcome(records) if records else missing)
            points.append((place, point))
        return as_points(point for _, point in sorted(points, key=lambda pair: pair[0]))

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw a cell per row of the table; colour and word have the same meaning.

        Cells tell their rate where methods of one column have different ones.
        """
        points = points[points.x.notna()]
        points[["layers", "rate"]] = points.x.str.split(", ", expand=True)
        points["column"] = points.groupby(["series", "layers"]).cumcount()
        rates = points.groupby(["layers", "column"], sort=False).rate.unique()
        methods, columns = list(points.series.unique()), list(rates.index)
        plot, axes = new_figure([""], height=0.24 * len(methods) + 0.7)
        ax = axes[""]
        for point in points.itertuples():
            column = point.layers, point.column
            left, top = columns.index(column), methods.index(point.series)
            colour = COLOURS[state(point.y)] if point.y == point.y else "white"
            ax.add_patch(Rectangle((left, top), 1, 1, facecolor=colour, edgecolor="#dddddd"))
            text = cell_text(point.note) if point.y == point.y else "not run"
            if len(rates[column]) > 1:
                text = f"{point.rate}\n{text}"
            ax.text(left + 0.5, top + 0.5, text, ha="center", va="center", size=6, linespacing=1)
        ax.set(xlim=(0, len(columns)), ylim=(len(methods), 0))
        ax.set_xticks(
            [n + 0.5 for n in range(len(columns))],
            [
                f"{layers}\n{found[0]}" if len(found) == 1 else layers
                for (layers, _), found in rates.items()
            ],
        )
        ax.set_yticks([n + 0.5 for n in range(len(methods))], methods)
        ax.tick_params(length=0)
        ax.grid(visible=False)
        ax.set_xlabel("layers of both stacks and peak learning rate")
        keys = [Patch(color=colour, label=word) for word, colour in COLOURS.items()]
        plot.legend(
            handles=keys, loc="outside upper left", ncols=3, handlelength=1.4, columnspacing=1
        )
        return plot

    def find(self, points: pd.DataFrame) -> Finding:
        """Describe which methods train everywhere, and where the others fail."""
        stable, failures = [], []
        for method, own in points.groupby("series", sort=False):
            lost = [f"{point.x} ({point.note})" for point in own[own.y < 1].itertuples()]
            failures += [f"Not {method} at {listed(lost)}."] if lost else []
            stable += [str(method)] if own.y.notna().any() and not lost else []
        trained = [f"Trained wherever it was run: {listed(stable)}."] if stable else []
        return finding(trained + failures, {})


def outcome(records: Sequence[Record]) -> dict[str, Any]:
    """Return the outcome of the seeds of one run."""
    low = [best_bleu(one) for one in records if one.outcome == "finished" and not trains(one)]
    return {
        "y": sum(map(trains, records)) / len(records),
        "run": records[0].run,
        "seed": " ".join(str(record.seed) for record in records),
        "note": failures(records) or ", ".join(f"{bleu:.1f} BLEU" for bleu in low) or TRAINED,
    }


def state(share: float) -> str:
    """Return a word for the share of seeds that trained."""
    return TRAINED if share == 1 else PARTLY if share else FAILED


def cell_text(note: str) -> str:
    """Return the update of failure, or the first and last of several, or the note."""
    updates = sorted(re.findall(r"\d+", " ".join(FAILED_AT.findall(note))), key=int)
    return "–".join(dict.fromkeys([updates[0], updates[-1]])) if updates else note

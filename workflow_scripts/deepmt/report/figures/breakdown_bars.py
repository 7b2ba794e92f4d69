"""Draw word accuracy by frequency and BLEU by length, as in Liu 2020, Figure 3."""

import re
from collections.abc import Iterator

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.measured.broken_down import broken_down
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import Point, ours
from deepmt.report.figures.plotting import new_figure, styles

PANELS = {
    "(a) by frequency": {"quantity": "word F1", "counted": "words", "y": "word F1 [%]",
                         "x": "occurrences of the word in the training text"},
    "(b) by length": {"quantity": "BLEU", "counted": "sentences", "y": "BLEU",
                      "x": "words of the reference"},
}  # fmt: skip
HATCHES = ("", "////", "....", "xxxx")


class BreakdownFigure(FigureKind):
    """Draw grouped bars, one group per bucket."""

    def gather(self) -> Iterator[Point]:
        """Yield a point for each non-empty bucket of each seed."""
        data = self.data
        found = {
            line.label: list(
                broken_down(data.row(line.system), data.results, data.folder, data.root)
            )
            for line in self.options.lines
        }
        for title, panel in PANELS.items():
            for label, own in found.items():
                place = {"panel": title, "series": label}
                why = [{"note": part["note"]} for part in own if "note" in part]
                yield from [
                    place
                    | {"x": in_words(part["bucket"]), "y": part["value"], "run": part["run"]}
                    | {"seed": part["seed"], "note": f"{part['count']} {panel['counted']}"}
                    for part in own
                    if part.get("quantity") == panel["quantity"] and part["value"] is not None
                ] or [place | (*why, {})[0]]

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw each system with its own colour and hatch."""
        plot, axes = new_figure(PANELS)
        for title, ax in axes.items():
            heights = self.heights(points, title)
            colours = [style["color"] for style in styles(heights).values()]
            crowded = max(map(len, heights.index)) * len(heights) > 42
            heights.plot.bar(
                ax=ax, width=0.8, color=colours, edgecolor="white", rot=30 * crowded, legend=False
            )
            for bars, hatch in zip(ax.containers, HATCHES, strict=False):
                for bar in bars:
                    bar.set_hatch(hatch)
            ax.grid(visible=False, axis="x")
            ax.set(xlabel=PANELS[title]["x"], ylabel=PANELS[title]["y"])
        return plot

    def heights(self, points: pd.DataFrame, title: str) -> pd.DataFrame:
        """Return a row per bucket and a column per system, with NaN for missing values."""
        own = ours(points)[ours(points).panel == title]
        table = own.pivot_table(index="x", columns="series", values="y", sort=False)
        return table.reindex(columns=[line.label for line in self.options.lines])


def in_words(bucket: str) -> str:
    """Return compare-mt's bucket [10,20) as 10–19."""
    found = re.fullmatch(r"\[(\d+),(\d+)\)", bucket)
    return f"{found[1]}–{int(found[2]) - 1}" if found else bucket.replace(">=", "≥")

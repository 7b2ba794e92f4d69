"""Draw curves over training, one value per logged update: r_t, gradient norms, perplexity."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.measured.failures import FAILED_AT
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import Point, curve
from deepmt.report.figures.plotting import CROSS, logarithmic, new_figure, styles

STACKS = ("encoder", "decoder")
QUANTITIES = {"train": "progress.ppl", "dev": "dev.ppl"}
"""Perplexity by split; the label-smoothed loss is not used."""


VALUES: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "first": lambda layers: layers.iloc[:, 0],
    "last": lambda layers: layers.iloc[:, -1],
    "first over last": lambda layers: layers.iloc[:, 0] / layers.iloc[:, -1].replace(0, np.nan),
}
"""Functions of a quantity with one value per layer; perplexity has only one value."""


@dataclass(frozen=True)
class TrainingCurve:
    """Define a curve of one system: one of VALUES at each update."""

    panel: str
    label: str
    system: str
    quantity: str
    value: str
    dash: str | None = None


class TrainingFigure(FigureKind):
    """Draw curves over updates, one per seed."""

    y: str
    height = 2.1

    def curves(self) -> Iterator[TrainingCurve]:
        """Yield the curves in order."""
        raise NotImplementedError

    def gather(self) -> Iterator[Point]:
        """Yield a point per logged update."""
        for one in self.curves():
            for seed, layers in self.data.training(one.system, one.quantity):
                place = {"panel": one.panel, "series": one.label} | seed
                values = {} if layers.empty else VALUES[one.value](layers).dropna().to_dict()
                yield from [place | {"x": x, "y": y} for x, y in values.items()] or [place]

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw all seeds of a system in one colour; a cross marks where a seed failed."""
        curves = list(self.curves())
        plot, axes = new_figure([one.panel for one in curves], self.height)
        by_system = styles(one.system for one in curves)
        for one in curves:
            style = by_system[one.system] | ({"linestyle": one.dash} if one.dash else {})
            name, width = one.label, 1.3
            for _, seed in curve(points, one.panel, one.label).groupby("seed"):
                marked = {"markevery": max(1, len(seed) // 6), "linewidth": width}
                axes[one.panel].plot(seed.x, seed.y, label=name, **style | marked)
                if failed := FAILED_AT.search(seed.note.iloc[-1]):
                    before = seed[seed.x <= int(failed[1])]
                    end = before.tail(1) if len(before) else seed.head(1)
                    axes[one.panel].plot(end.x, end.y, color="black", **CROSS)
                name, width = "_", 0.8
        for ax in axes.values():
            logarithmic(ax)
            ax.set_ylabel(self.y)
        ax.set_xlabel("update")
        return plot


class SignalRatioFigure(TrainingFigure):
    """Draw r_t = |dL/dh_1| / |dL/dh_N| of the encoder, as in Bapna 2018, Figures 1 to 3."""

    y = "r_t"
    height = 2.2

    def curves(self) -> Iterator[TrainingCurve]:
        """Yield one curve for each system."""
        for line in self.options.lines:
            quantity, value = "output_gradients.encoder", "first over last"
            yield TrainingCurve("", line.label, line.system, quantity, value)


class GradientNormsFigure(TrainingFigure):
    """Draw gradient norms of the first and the last layer, as in Zhang 2019, Figure 4."""

    y = "gradient norm"

    def curves(self) -> Iterator[TrainingCurve]:
        """Yield solid curves for first layers, dotted ones for last layers, a panel per stack."""
        for stack in STACKS:
            for line in self.options.lines:
                for end, dash in {"first": "-", "last": ":"}.items():
                    label, quantity = f"{line.label}, {end} layer", f"gradients.{stack}"
                    yield TrainingCurve(stack, label, line.system, quantity, end, dash)


class LearningCurveFigure(TrainingFigure):
    """Draw perplexity over training, as in Liu 2020, Figure 2."""

    y = "perplexity"

    def curves(self) -> Iterator[TrainingCurve]:
        """Yield one curve per system."""
        for panel in self.options.panels:
            for line in panel.lines:
                quantity = QUANTITIES[panel.split]
                yield TrainingCurve(panel.label, line.label, line.system, quantity, "first")

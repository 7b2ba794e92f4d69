"""Draw gradients by layer, and the variance of the residual stream by depth, before training."""

from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import MaxNLocator

from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import as_points, curve, ours
from deepmt.report.figures.plotting import logarithmic, new_figure, styles

STACKS = ("encoder", "decoder")
GRADIENT = "gradient by layer, {} of 60 layers"
VARIANCE = "variance behind the last layer, {}"
AXES = {
    GRADIENT: ("layer (1 = lowest)", "gradient norm / last layer's"),
    VARIANCE: ("number of layers", "variance"),
}
DEEPEST = 60


class GrowthByDepthFigure(FigureKind):
    """Draw a line for each method, with panels of two quantities in both stacks."""

    def gather(self, data: FigureData) -> pd.DataFrame:
        """Return a point per layer of the deepest models, and one per depth."""
        points = []
        for line, stack in product(self.options.lines, STACKS):
            own = [
                value
                for value in data.measured("probes/growth.csv", stack=stack)
                if value.system.split()[0] == line.system.removeprefix("deep-")
            ]
            points += self._of_layers(own, stack, line.label) + self._tops(own, stack, line.label)
        return as_points(points)

    def _of_layers(self, values: list[Any], stack: str, label: str) -> list[dict[str, Any]]:
        place = {"panel": GRADIENT.format(stack), "series": label}
        known = [v for v in values if v.quantity == "gradient_norm" and v.layers == DEEPEST]
        last = max(known, key=lambda v: v.layer).ours if known else 0.0
        if not last:
            return [place | {"note": "no gradient yet" if known else "not measured: run probes"}]
        return [place | {"x": v.layer, "y": v.ours / last, "seeds": v.seeds} for v in known]

    def _tops(self, values: list[Any], stack: str, label: str) -> list[dict[str, Any]]:
        place = {"panel": VARIANCE.format(stack), "series": label}
        known = [v for v in values if v.quantity == "variance" and v.layer == v.layers]
        return [place | {"x": v.layers, "y": v.ours, "seeds": v.seeds} for v in known] or [
            place | {"note": "not measured: run probes"}
        ]

    def label(self, points: pd.DataFrame, data: FigureData) -> str:
        """Return what was measured; the same at every scale."""
        if ours(points).empty:
            return "This figure has not been measured."
        return "Untrained models 64 wide with equal depths, on random Zipf tokens."

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw a panel per quantity and stack."""
        texts = {name.format(stack): AXES[name] for name in AXES for stack in STACKS}
        plot, axes = new_figure(texts, height=2.6)
        looks = styles(line.label for line in self.options.lines)
        for panel, ax in axes.items():
            for label, look in looks.items():
                own = curve(points, panel, label)
                ax.plot(own.x, own.y, label=label, **look)
            logarithmic(ax)
            ax.set(xlabel=texts[panel][0], ylabel=texts[panel][1])
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        return plot

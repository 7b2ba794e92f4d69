"""Draw the gradient norm of every layer of untrained models, as in Zhang 2019, Figure 1."""

from itertools import product

import pandas as pd
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import MaxNLocator

from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import as_points, curve, ours
from deepmt.report.figures.plotting import new_figure, styles

STACKS = ("encoder", "decoder")
METHODS = {"vanilla": ("post-norm", "-"), "DS-Init": ("DS-Init", "--")}
"""Prefix of the system in probes/fig1.csv, and line style."""
DEPTHS = (6, 12, 18)


class NormByLayerFigure(FigureKind):
    """Draw norms over layers, with a panel per stack and a colour per depth."""

    def gather(self, data: FigureData) -> pd.DataFrame:
        """Return a point per layer."""
        points = []
        for stack, method, depth in product(STACKS, METHODS, DEPTHS):
            place = {"panel": stack, "series": f"{method}, {depth} layers"}
            where = {"system": f"{METHODS[method][0]} {depth}L", "stack": stack}
            points += [
                place
                | {"x": line.layer, "y": line.ours, "spread": line.spread, "seeds": line.seeds}
                for line in data.measured("probes/fig1.csv", quantity="gradient_norm", **where)
            ] or [place | {"note": "not measured: run the target probes"}]
        return as_points(points)

    def label(self, points: pd.DataFrame, data: FigureData) -> str:
        """Return what was measured; the same at every scale."""
        if ours(points).empty:
            return "This figure has not been measured."
        return "Untrained models of the paper's own size, on random Zipf tokens."

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw solid lines for vanilla models, dashed ones for DS-Init."""
        plot, axes = new_figure(STACKS)
        for panel, ax in axes.items():
            for method, depth in product(METHODS, DEPTHS):
                label = f"{method}, {depth} layers"
                own = curve(points, panel, label)
                style = styles(DEPTHS)[depth] | {"linestyle": METHODS[method][1]}
                ax.plot(own.x, own.y, label=label, **style)
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
            ax.set_ylabel("gradient norm")
        ax.set_xlabel("layer (1 = lowest)")
        return plot

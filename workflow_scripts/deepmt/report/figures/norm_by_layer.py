"""Draw the gradient norm of every layer of untrained models, as in Zhang 2019, Figure 1."""

from itertools import product

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import MaxNLocator

from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import as_points, curve, ours
from deepmt.report.figures.findings import Fact, Finding, decided, finding, listed, short
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
                place | {"x": line.layer, "y": line.ours, "spread": line.spread}
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

    def find(self, points: pd.DataFrame) -> Finding:
        """Describe the norm of the lowest layer as a share of the highest layer's."""
        facts: dict[str, Fact] = {}
        texts = []
        shares = {(m, stack): shares_of(points, m, stack) for m in METHODS for stack in STACKS}
        for (method, stack), own in shares.items():
            facts[f"{method} {stack} falls to layer 1"] = decided(own < 1, own)
            facts[f"{method} {stack} rises to layer 1"] = decided(own > 1, own)
        for method in METHODS:
            encoder, decoder = (shares[method, stack] for stack in STACKS)
            steeper = decided(decoder < encoder, encoder, decoder)
            facts[f"{method} decoder steeper than encoder"] = steeper
        for stack in STACKS:
            own, plain = shares["DS-Init", stack], shares["vanilla", stack]
            flatter = decided(abs(np.log(own)) < abs(np.log(plain)), own, plain)
            facts[f"DS-Init {stack} flatter than vanilla"] = flatter
        for method in METHODS:
            finite = {s: shares[method, s][np.isfinite(shares[method, s])] for s in STACKS}
            spans = [f"{span(own)} ({stack})" for stack, own in finite.items() if len(own)]
            texts += [f"{listed(spans)} with {method}"] if spans else []
        lead = "The lowest layer has this share of the highest one's gradient norm"
        return finding([f"{lead}: {'; '.join(texts)}."] if texts else [], facts)


def shares_of(points: pd.DataFrame, method: str, stack: str) -> np.ndarray:
    """Return the norm of the lowest layer divided by the highest layer's, at each depth."""
    curves = [curve(points, stack, f"{method}, {depth} layers").y for depth in DEPTHS]
    return np.array([y.iloc[0] / y.iloc[-1] if len(y) else np.nan for y in curves])


def span(values: np.ndarray) -> str:
    """Return minimum and maximum, e.g. "0.46 to 0.78"."""
    return " to ".join(dict.fromkeys([short(values.min()), short(values.max())]))

"""Draw the gradient norm of every layer of untrained models, as in Zhang 2019, Figure 1."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pandas as pd
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import MaxNLocator

from deepmt.metrics.interval import Error
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import as_points, curve, ours, with_errors
from deepmt.report.figures.findings import (
    Fact,
    Finding,
    all_of,
    finding,
    is_positive,
    listed,
    short,
)
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

    def find(self, points: pd.DataFrame) -> Finding:
        """Describe the norm of the lowest layer as a share of the highest layer's."""
        facts: dict[str, Fact] = {}
        texts = []
        measured = with_errors(points, "gradient norm")
        shares = {(m, stack): shares_of(measured, m, stack) for m in METHODS for stack in STACKS}
        for (method, stack), own in shares.items():
            falls = [is_positive(-share, errors) for share, errors in own]
            rises = [is_positive(share, errors) for share, errors in own]
            facts[f"{method} {stack} falls to layer 1"] = all_of(falls)
            facts[f"{method} {stack} rises to layer 1"] = all_of(rises)
        for method in METHODS:
            encoder, decoder = (shares[method, stack] for stack in STACKS)
            facts[f"{method} decoder steeper than encoder"] = all_of(
                is_positive(upper - lower, errors + others)
                for (upper, errors), (lower, others) in zip(encoder, decoder, strict=True)
            )
        for stack in STACKS:
            facts[f"DS-Init {stack} flatter than vanilla"] = all_of(
                is_positive(abs(steep) - abs(flat), errors + others)
                for (flat, errors), (steep, others) in zip(
                    shares["DS-Init", stack], shares["vanilla", stack], strict=True
                )
            )
        for method in METHODS:
            found = {s: [math.exp(share) for share, _ in shares[method, s]] for s in STACKS}
            finite = {
                stack: [share for share in own if share == share] for stack, own in found.items()
            }
            spans = [f"{span(own)} ({stack})" for stack, own in finite.items() if own]
            texts += [f"{listed(spans)} with {method}"] if spans else []
        lead = "The lowest layer has this share of the highest one's gradient norm"
        return finding([f"{lead}: {'; '.join(texts)}."] if texts else [], facts)


def shares_of(points: pd.DataFrame, method: str, stack: str) -> list[tuple[float, list[Error]]]:
    """Return log(norm of the lowest layer / norm of the highest) at each depth, with its errors."""
    curves = [curve(points, stack, f"{method}, {depth} layers") for depth in DEPTHS]
    ends = [own.iloc[[0, -1]] if len(own) else own for own in curves]
    return [
        (
            math.log(own.y.iloc[0] / own.y.iloc[1]) if len(own) else math.nan,
            [
                replace(error, size=error.size / y)
                for y, error in zip(own.y, own.error, strict=True)
            ],
        )
        for own in ends
    ]


def span(values: Sequence[float]) -> str:
    """Return minimum and maximum, e.g. "0.46 to 0.78"."""
    return " to ".join(dict.fromkeys([short(min(values)), short(max(values))]))

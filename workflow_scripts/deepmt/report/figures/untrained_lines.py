"""Draw gradients and variances of untrained models by layer or depth, a line for each series."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import MaxNLocator

from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import Point, curve
from deepmt.report.figures.plotting import (
    GREY,
    logarithmic,
    new_figure,
    small_multiples,
    styles,
)

STACKS = ("encoder", "decoder")
DASHES = ("-", "--", ":", "-.")
GRADIENT = "gradient by layer, {} of 60 layers"
VARIANCE = "variance behind the last layer, {}"
DEEPEST = 60
COLUMNS = 4
LOWEST = 0.05
"""What is lower leaves the panels: it would flatten all other lines."""
LAYER = "layer (1 = lowest)"
NOT_MEASURED = {"note": "not measured: run the target probes"}


class UntrainedLines(FigureKind):
    """Draw lines over layers or depths, a panel for each quantity and stack."""

    axes: dict[str, tuple[str, str]]
    """Panel -> names of its axes."""
    height = 2.1

    def looks(self, series: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the style of each series."""
        return styles(series)

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw every series in every panel."""
        plot, axes = new_figure(self.axes, self.height)
        for panel, ax in axes.items():
            for series, look in self.looks(points.series.unique()).items():
                own = curve(points, panel, series)
                ax.plot(own.x, own.y, label=series, **look)
            ax.set(xlabel=self.axes[panel][0], ylabel=self.axes[panel][1])
            ax.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        return plot


class NormByLayerFigure(UntrainedLines):
    """Draw the gradient norm of every layer: a colour for each depth, dashes for each method.

    A label is a method and a depth, with a comma between.
    """

    about = "Untrained models of the paper's own size, on random Zipf tokens."
    axes = dict.fromkeys(STACKS, (LAYER, "gradient norm"))

    def looks(self, series: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return solid lines for the first method, dashed ones for the next."""
        parts = {name: name.partition(", ")[::2] for name in series}
        colours = styles(depth for _, depth in parts.values())
        methods = dict.fromkeys(method for method, _ in parts.values())
        dashes = dict(zip(methods, DASHES, strict=False))
        return {
            name: colours[depth] | {"linestyle": dashes[method]}
            for name, (method, depth) in parts.items()
        }

    def gather(self) -> Iterator[Point]:
        """Yield a point per layer."""
        names = {one: name for name, one in self.data.paper.probes["fig1"].named.items()}
        for stack, line in product(STACKS, self.options.lines):
            place = {"panel": stack, "series": line.label}
            where = {"system": names[line.system], "stack": stack}
            yield from [
                place | {"x": v.layer, "y": v.ours, "spread": v.spread, "seeds": v.seeds}
                for v in self.data.measured("probes/fig1.csv", quantity="gradient_norm", **where)
            ] or [place | NOT_MEASURED]


class GrowthByDepthFigure(UntrainedLines):
    """Draw gradients by layer, and the variance of the residual stream by depth."""

    about = "Untrained models 64 wide with equal depths, on random Zipf tokens."
    axes = {GRADIENT.format(stack): (LAYER, "gradient norm / last layer's") for stack in STACKS} | {
        VARIANCE.format(stack): ("number of layers", "variance") for stack in STACKS
    }

    def gather(self) -> Iterator[Point]:
        """Yield a point per layer of the deepest models, and one per depth."""
        prefix = self.data.paper.method_prefix
        for line, stack in product(self.options.lines, STACKS):
            own = [
                value
                for value in self.data.measured("probes/growth.csv", stack=stack)
                if value.system.split()[0] == line.system.removeprefix(prefix)
            ]
            norms = [v for v in own if v.quantity == "gradient_norm" and v.layers == DEEPEST]
            last = max(norms, key=lambda v: v.layer).ours if norms else 0.0
            place = {"panel": GRADIENT.format(stack), "series": line.label}
            yield from [
                place | {"x": v.layer, "y": v.ours / last, "seeds": v.seeds} for v in norms if last
            ] or [place | ({"note": "no gradient yet"} if norms else NOT_MEASURED)]
            place = {"panel": VARIANCE.format(stack), "series": line.label}
            yield from [
                place | {"x": v.layers, "y": v.ours, "seeds": v.seeds}
                for v in own
                if v.quantity == "variance" and v.layer == v.layers
            ] or [place | NOT_MEASURED]

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw a panel per method for gradients, then for variances, all other methods in grey."""
        names = [*dict.fromkeys(points.series[points.y.notna()])]
        rows = math.ceil(len(names) / COLUMNS)
        plot = Plot(figsize=(7, 2.5 * rows))
        parts = plot.subfigures(2, squeeze=False).flat
        for part, quantity in zip(parts, (GRADIENT, VARIANCE), strict=True):
            x, y = self.axes[quantity.format(STACKS[0])]
            axes = small_multiples(part, names, COLUMNS, x)
            for stack in STACKS:
                lines = {name: curve(points, quantity.format(stack), name) for name in names}
                others = {of: [*gapped(own[of] for own in lines.values())] for of in ("x", "y")}
                for name, ax in axes.items():
                    own = lines[name]
                    ax.plot(
                        *others.values(), "-", color=GREY, lw=0.6, marker="", label="all others"
                    )
                    ax.plot(own.x, own.y, label=stack, zorder=3, **styles(STACKS)[stack])
                    if own.y.min() < LOWEST:
                        said = f"{stack}: down to {own.y.min():.0e}"
                        ax.text(0.03, 0.06, said, fontsize=6.5, transform=ax.transAxes)
            ax = next(iter(axes.values()))
            logarithmic(ax)
            ax.set_ylim(bottom=max(ax.get_ylim()[0], LOWEST))
            part.supylabel(y, fontsize=8)
        return plot


def gapped(parts: Iterable[Iterable[float]]) -> Iterator[float]:
    """Yield the numbers of all parts with a gap after each: many lines are drawn as one."""
    for part in parts:
        yield from part
        yield math.nan

"""Draw gradients and variances of untrained models by layer or depth, a line for each series."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import MaxNLocator

from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import Point, curve
from deepmt.report.figures.plotting import logarithmic, name_lines, new_figure, styles

STACKS = ("encoder", "decoder")
DASHES = ("-", "--", ":", "-.")
GRADIENT = "gradient by layer, {} of 60 layers"
VARIANCE = "variance behind the last layer, {}"
DEEPEST = 60
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
    height = 2.8

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
        """Draw logarithms; names stand where lines part: gradients at the lowest layer."""
        plot = super().draw(points)
        for panel, ax in zip(self.axes, plot.axes, strict=True):
            logarithmic(ax)
            if self.axes[panel][0] == LAYER:
                ax.yaxis.tick_right()
                ax.yaxis.set_label_position("right")
                ax.spines[["left", "right"]].set_visible([False, True])
                name_lines(ax, "left")
            else:
                name_lines(ax, "right")
        return plot

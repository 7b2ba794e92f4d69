"""Draw how well each method trains with each learning rate, from the trials of `tune`."""

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Plot

from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import Point, curve, failed
from deepmt.report.figures.plotting import CROSS, GREY, logarithmic, small_multiples

COLUMNS = 3
OURS, RANGE, LOST = "#0072B2", "#cfe5f3", "#D55E00"


class LearningRatesFigure(FigureKind):
    """Draw a panel per method that was tried, with the curves of all others in grey."""

    def gather(self) -> Iterator[Point]:
        """Yield a point per method and rate: the better warm-up of the short trials.

        A rate also fails if only its trial with all updates does.
        """
        trials = self.data.trials
        for line in self.options.lines:
            own = trials[trials.system == line.system].sort_values("share")
            outcomes = own.groupby(["lr", "warmup"]).outcome
            own = own.assign(outcome=outcomes.transform(_first_failure))
            own = own[own.share < 1]
            own.loc[own.outcome != "finished", "dev_perplexity"] = math.inf
            place = {"panel": line.label, "series": line.label}
            best = own.sort_values("dev_perplexity").drop_duplicates("lr").sort_values("lr")
            yield from [place | _point(trial) for trial in best.itertuples()] or [place]

    def draw(self, points: pd.DataFrame) -> Plot:
        """Shade the range of rates at which a method trains; circle the best one."""
        tried = {*points.series[points.y.notna()], *failed(points).series}
        names = [line.label for line in self.options.lines if line.label in tried]
        plot = Plot(figsize=(7, 1.4 * math.ceil(len(names) / COLUMNS)))
        axes = small_multiples(plot, names, COLUMNS, "peak learning rate, 10⁻³")
        for name, ax in axes.items():
            for other in names:
                own = curve(points, other, other)
                ax.plot(own.x, own.y, "-", color=GREY, lw=0.6, marker="", label="other methods")
            _draw_method(ax, points, name)
        rates = sorted(points.x.dropna().unique())
        ax = plot.axes[0]
        ax.set_xscale("log")
        logarithmic(ax)
        ax.margins(y=0.2)
        ax.set_xticks(rates, [f"{rate * 1e3:g}" for rate in rates], minor=False)
        ax.set_xticks([], minor=True)
        plot.supylabel("dev perplexity after the short trials", fontsize=8)
        return plot


def _first_failure(outcomes: pd.Series) -> str:
    return next((outcome for outcome in outcomes if outcome != "finished"), "finished")


def _point(trial: Any) -> Point:
    finished = trial.outcome == "finished"
    return {
        "x": trial.lr,
        "y": trial.dev_perplexity if finished else math.nan,
        "run": trial.run,
        "seed": "1",
        "note": "" if finished else trial.outcome,
    }


def _draw_method(ax: Axes, points: pd.DataFrame, name: str) -> None:
    own, lost = curve(points, name, name), failed(points[points.series == name])
    if len(own):
        ax.axvspan(own.x.min() / 1.2, own.x.max() * 1.2, color=RANGE, linewidth=0, label="trains")
        line: dict[str, Any] = {"color": OURS, "marker": "o", "linestyle": "-"}
        ax.plot(own.x, own.y, markersize=3.5, label="this method", **line)
        best = own.loc[own.y.idxmin()]
        ax.plot(best.x, best.y, markersize=8, markerfacecolor="none", label="best rate", **line)
        above: dict[str, Any] = {"xytext": (0, 6), "textcoords": "offset points", "ha": "center"}
        ax.annotate(f"{best.y:.1f}", (best.x, best.y), **above)
    if len(lost):
        cross = CROSS | {"color": LOST, "transform": ax.get_xaxis_transform()}
        ax.plot(lost.x, [0.9] * len(lost), label="fails to train", **cross)

"""Draw learned weights of earlier layers: over training (Bapna 2018), after it (Wang 2019)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import Point, ours
from deepmt.report.figures.plotting import new_figure, styles

EMBEDDINGS = "embeddings"
NAMED = (EMBEDDINGS, "layer 16", "layer 20")
"""Layers labelled in Bapna 2018; the others are drawn thin and grey."""
GREY: dict[str, Any] = {"color": "#999999", "linewidth": 0.6, "linestyle": "-", "marker": ""}
PANELS = {"encoder": "(a) encoder", "decoder": "(b) decoder"}
COLUMN = 10
"""The encoder layer whose weights in later layers Wang 2019 shows."""


class LayerSharesFigure(FigureKind):
    """Draw the last decoder layer's weight of each encoder layer, as in Bapna 2018, Figure 4."""

    def gather(self) -> Iterator[Point]:
        """Yield a point per logged update and encoder layer."""
        [system] = self.figure.systems
        for seed, weights in self.data.training(system, "layer_weights.encoder_output"):
            if weights.empty:
                yield {"series": EMBEDDINGS} | seed
                continue
            for (x, layer), y in weights[weights.columns.levels[0].max()].stack().items():
                series = f"layer {layer}" if layer else EMBEDDINGS
                yield {"series": series, "x": x, "y": y} | seed

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw the means over seeds."""
        plot, axes = new_figure([""], height=2.2)
        means = ours(points).pivot_table(index="x", columns="series", values="y", sort=False)
        for series, mean in means.items():
            marked = {"label": series, "zorder": 3, "markevery": max(1, len(mean) // 6)}
            style = styles(NAMED)[series] | marked if series in NAMED else GREY
            axes[""].plot(mean.index, mean, **style)
        axes[""].plot([], [], label="other layers", **GREY)
        axes[""].set(xlabel="update", ylabel="weight in the last decoder layer")
        return plot


class LayerWeightsFigure(FigureKind):
    """Draw DLCL's weights after training, as in Wang 2019, Figure 5."""

    def gather(self) -> Iterator[Point]:
        """Yield a point per weight: x is the layer that is read, the series its reader.

        Reader i reads y_0..y_i: it is the input of layer i + 1, or the stack's output.
        """
        [system] = self.figure.systems
        for stack, panel in PANELS.items():
            for seed, weights in self.data.training(system, f"layer_weights.{stack}"):
                last = {} if weights.empty else weights.iloc[-1].dropna().to_dict()
                yield from [
                    {"panel": panel, "series": str(reader - 1), "x": layer, "y": weight} | seed
                    for (reader, layer), weight in last.items()
                ] or [{"panel": panel} | seed]

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw the matrices of the first seed, then one column for all seeds."""
        found = {panel: matrices(points, panel) for panel in PANELS.values()}
        encoders = {f"seed {n}": one for n, one in enumerate(found[PANELS["encoder"]], 1)}
        titles = [*found, f"(c) weight of layer {COLUMN} in the encoder"]
        plot, axes = new_figure(titles, height=2.4)
        limit = max(np.nanmax(np.abs(ones[0])) for ones in found.values())
        colours: dict[str, Any] = {"cmap": "PuOr_r", "vmin": -limit, "vmax": limit}
        for panel, (matrix, *_) in found.items():
            ax = axes[panel]
            layers = np.arange(len(matrix))
            mesh = ax.pcolormesh(layers, layers, masked(matrix), **colours)
            plot.colorbar(mesh, ax=ax, shrink=0.8)
            ax.invert_yaxis()
            ax.set_aspect("equal")
            ax.grid(visible=False)
            ax.set(xlabel="incoming layer (0 = embeddings)", ylabel="read after layer")
        for label, style in styles(encoders).items():
            readers = encoders[label][COLUMN:, COLUMN]
            axes[titles[-1]].plot(COLUMN + np.arange(len(readers)), readers, label=label, **style)
        axes[titles[-1]].set(xlabel="read after layer", ylabel="weight")
        return plot


def matrices(points: pd.DataFrame, panel: str) -> list[np.ndarray]:
    """Return a matrix per seed, with readers as rows, and NaN above the diagonal."""
    own = ours(points)[ours(points).panel == panel].astype({"series": int})
    seeds = own.groupby("seed")
    return [seed.pivot(index="series", columns="x", values="y").to_numpy() for _, seed in seeds]


def masked(matrix: np.ndarray) -> np.ndarray:
    """Replace entries below 0.1 or 5 % of their row's maximum by NaN, as in Wang 2019."""
    size = np.abs(matrix)
    small = (size < 0.1) | (size < 0.05 * np.nanmax(size, axis=1, keepdims=True))
    return np.where(small, np.nan, matrix)

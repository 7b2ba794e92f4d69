"""Draw learned weights of earlier layers: over training (Bapna 2018), after it (Wang 2019)."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import as_points, ours
from deepmt.report.figures.findings import Fact, Finding, above, agreed, finding, listed
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

    def gather(self, data: FigureData) -> pd.DataFrame:
        """Return a point per logged update and encoder layer."""
        points: list[dict[str, Any]] = []
        for seed, weights in data.training(self.figure.systems[0], "layer_weights.encoder_output"):
            if weights.empty:
                points.append({"series": EMBEDDINGS} | seed)
                continue
            reader = weights[weights.columns.levels[0].max()].stack()
            points += [
                {"series": f"layer {layer}" if layer else EMBEDDINGS, "x": x, "y": y} | seed
                for (x, layer), y in reader.items()
            ]
        return as_points(points)

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

    def find(self, points: pd.DataFrame) -> Finding:
        """Describe which layer's weight grows first, and which layers have the most in the end."""
        seeds = [
            seed.pivot_table(index="x", columns="series", values="y", sort=False)
            for _, seed in ours(points).groupby("seed")
        ]
        enough = [seed for seed in seeds if len(seed) >= 8]
        highest = (seed.iloc[-1].nlargest(2).index for seed in enough)
        facts: dict[str, Fact] = {
            "embeddings grow first": agreed(first_to_grow(one) == EMBEDDINGS for one in enough),
            "upper layers dominate at the end": agreed(
                bool(names.isin(top_of(seed).index).all())
                for names, seed in zip(highest, enough, strict=True)
            ),
            "top layers comparable": above(
                (top_of(seed).min() / top_of(seed).max() for seed in enough), 0.5
            ),
        }
        if not seeds:
            return finding([], facts)
        mean = sum(seed.iloc[-1] for seed in seeds) / len(seeds)
        most = listed(f"{name} ({value:.2f})" for name, value in mean.nlargest(3).items())
        start = f"First to grow: {listed(map(first_to_grow, seeds))}."
        return finding(
            [start, f"Read most in the end: {most}; {1 / len(mean):.2f} is uniform."], facts
        )


def first_to_grow(seed: pd.DataFrame) -> str:
    """Return the layer with the largest mean weight over the first quarter of the updates."""
    return str(seed.iloc[: max(1, len(seed) // 4)].mean().idxmax())


def top_of(seed: pd.DataFrame) -> pd.Series:
    """Return the final weights of the top quarter of the layers, at least three."""
    return seed.iloc[-1, -max(3, round((seed.shape[1] - 1) / 4)) :]


class LayerWeightsFigure(FigureKind):
    """Draw DLCL's weights after training, as in Wang 2019, Figure 5."""

    def gather(self, data: FigureData) -> pd.DataFrame:
        """Return a point per weight: x is the layer that is read, the series its reader.

        Reader i reads y_0..y_i: it is the input of layer i + 1, or the stack's output.
        """
        points: list[dict[str, Any]] = []
        for stack, panel in PANELS.items():
            for seed, weights in data.training(self.figure.systems[0], f"layer_weights.{stack}"):
                last = {} if weights.empty else weights.iloc[-1].dropna().to_dict()
                points += [
                    {"panel": panel, "series": str(reader - 1), "x": layer, "y": weight} | seed
                    for (reader, layer), weight in last.items()
                ] or [{"panel": panel} | seed]
        return as_points(points)

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

    def find(self, points: pd.DataFrame) -> Finding:
        """Describe how many weights exceed the mask, and if recent layers have the largest."""
        facts: dict[str, Fact] = {}
        texts = []
        for stack, panel in PANELS.items():
            found = matrices(points, panel)
            recent = [share_of_recent_rows(one) for one in found]
            facts[f"{stack} early rows denser"] = above(map(excess_of_early_rows, found), 0.0)
            facts[f"{stack} recent layers weigh more"] = above(recent, 0.75)
            if found:
                dense = [np.isfinite(masked(one)).sum() / np.isfinite(one).sum() for one in found]
                texts.append(
                    f"{np.mean(dense):.0%} of the {stack}'s weights exceed the mask, and in"
                    f" {np.mean(recent):.0%} of its rows the recent third of the layers weighs more"
                    " than the others"
                )
        facts["column varies"] = above(map(variation, matrices(points, PANELS["encoder"])), 0.5)
        return finding([f"{'; '.join(texts)}."] if texts else [], facts)


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


def excess_of_early_rows(matrix: np.ndarray) -> float:
    """Return the share of entries above the mask in the lower half of the rows minus the upper."""
    shares = np.isfinite(masked(matrix)).sum(1) / np.isfinite(matrix).sum(1)
    lower, upper = np.split(shares, [len(shares) // 2])
    return float(lower.mean() - upper.mean())


def share_of_recent_rows(matrix: np.ndarray) -> float:
    """Return the share of rows of three or more entries whose recent third has the larger mean."""
    rows = [np.abs(row[: i + 1]) for i, row in enumerate(matrix) if i >= 2]
    parts = [np.split(row, [len(row) - max(1, len(row) // 3)]) for row in rows]
    return float(np.mean([recent.mean() > before.mean() for before, recent in parts]))


def variation(matrix: np.ndarray) -> float:
    """Return the range of the weights of a layer in later ones, as a share of their maximum."""
    weights = matrix[COLUMN:, COLUMN]
    return float(np.ptp(weights) / np.abs(weights).max())

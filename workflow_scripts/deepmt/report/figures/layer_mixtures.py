"""What layers learn to take of earlier ones: over training (Bapna 2018), after it (Wang 2019)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_kind import FigureKind
from deepmt.report.figures.figure_points import as_points, ours
from deepmt.report.figures.findings import Fact, Finding, agreed, finding, listed
from deepmt.report.figures.plotting import looks, new_figure

EMBEDDINGS = "embeddings"
NAMED = (EMBEDDINGS, "layer 16", "layer 20")
"""Layers that Bapna 2018 names; the others are drawn thin and grey."""
GREY: dict[str, Any] = {"color": "#999999", "linewidth": 0.6, "linestyle": "-", "marker": ""}
PANELS = {"encoder": "(a) encoder", "decoder": "(b) decoder"}
COLUMN = 10
"""The encoder layer whose successive readers Wang 2019 shows."""


class LayerSharesFigure(FigureKind):
    """What the last decoder layer takes of each encoder layer, as in Bapna 2018, Figure 4."""

    def gather(self, data: FigureData) -> pd.DataFrame:
        """Return a point for each logged update and encoder layer."""
        points: list[dict[str, Any]] = []
        for seed, weights in data.training(self.figure.systems[0], "mixtures.memory"):
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
        """Draw means over seeds."""
        plot, axes = new_figure([""], height=2.2)
        means = ours(points).pivot_table(index="x", columns="series", values="y", sort=False)
        for series, mean in means.items():
            marked = {"label": series, "zorder": 3, "markevery": max(1, len(mean) // 6)}
            style = looks(NAMED)[series] | marked if series in NAMED else GREY
            axes[""].plot(mean.index, mean, **style)
        axes[""].plot([], [], label="other layers", **GREY)
        axes[""].set(xlabel="update", ylabel="weight in the last decoder layer")
        return plot

    def find(self, points: pd.DataFrame) -> Finding:
        """Say which layer's share grows first, and which layers are read most in the end."""
        seeds = [
            seed.pivot_table(index="x", columns="series", values="y", sort=False)
            for _, seed in ours(points).groupby("seed")
        ]
        judges: dict[str, Callable[[pd.DataFrame], Any]] = {
            "embeddings grow first": lambda seed: first_to_grow(seed) == EMBEDDINGS,
            "upper layers dominate at the end": lambda seed: (
                seed.iloc[-1].nlargest(2).index.isin(top_of(seed).index).all()
            ),
            "top layers comparable": lambda seed: top_of(seed).min() >= top_of(seed).max() / 2,
        }
        facts: dict[str, Fact] = {
            name: agreed(bool(judge(seed)) if len(seed) >= 8 else None for seed in seeds)
            for name, judge in judges.items()
        }
        if not seeds:
            return finding([], facts)
        mean = sum(seed.iloc[-1] for seed in seeds) / len(seeds)
        most = listed(f"{name} ({value:.2f})" for name, value in mean.nlargest(3).items())
        said = [f"First to grow: {listed(map(first_to_grow, seeds))}."]
        return finding(
            [*said, f"Read most in the end: {most}; {1 / len(mean):.2f} is even."], facts
        )


def first_to_grow(seed: pd.DataFrame) -> str:
    """Return the layer with the greatest mean share over the first quarter of the updates."""
    return str(seed.iloc[: max(1, len(seed) // 4)].mean().idxmax())


def top_of(seed: pd.DataFrame) -> pd.Series:
    """Return the final shares of the top quarter of the layers, three at least."""
    return seed.iloc[-1, -max(3, round((seed.shape[1] - 1) / 4)) :]


class LayerWeightsFigure(FigureKind):
    """DLCL's weights after training, as in Wang 2019, Figure 5."""

    def gather(self, data: FigureData) -> pd.DataFrame:
        """Return a point for each weight: x is the layer that is read, the series its reader.

        Reader i reads y_0..y_i: it is the input of layer i + 1, or the stack's output.
        """
        points: list[dict[str, Any]] = []
        for stack, panel in PANELS.items():
            for seed, weights in data.training(self.figure.systems[0], f"mixtures.{stack}"):
                last = {} if weights.empty else weights.iloc[-1].dropna().to_dict()
                points += [
                    {"panel": panel, "series": str(reader - 1), "x": layer, "y": weight} | seed
                    for (reader, layer), weight in last.items()
                ] or [{"panel": panel} | seed]
        return as_points(points)

    def draw(self, points: pd.DataFrame) -> Plot:
        """Draw the matrices of the first seed, then a column for all seeds."""
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
        for label, look in looks(encoders).items():
            readers = encoders[label][COLUMN:, COLUMN]
            axes[titles[-1]].plot(COLUMN + np.arange(len(readers)), readers, label=label, **look)
        axes[titles[-1]].set(xlabel="read after layer", ylabel="weight")
        return plot

    def find(self, points: pd.DataFrame) -> Finding:
        """Say how many weights exceed the mask, and where the greatest of each row lie."""
        facts: dict[str, Fact] = {}
        texts = []
        for stack, panel in PANELS.items():
            found = matrices(points, panel)
            recent = [share_of_recent_rows(one) for one in found]
            facts[f"{stack} early rows denser"] = agreed(map(early_rows_denser, found))
            facts[f"{stack} recent layers weigh more"] = agreed(share >= 0.75 for share in recent)
            if found:
                dense = [np.isfinite(masked(one)).sum() / np.isfinite(one).sum() for one in found]
                texts.append(
                    f"{np.mean(dense):.0%} of the {stack}'s weights exceed the mask, and in"
                    f" {np.mean(recent):.0%} of its rows the recent third of the layers weighs more"
                    " than the others"
                )
        facts["column varies"] = agreed(map(column_varies, matrices(points, PANELS["encoder"])))
        return finding([f"{'; '.join(texts)}."] if texts else [], facts)


def matrices(points: pd.DataFrame, panel: str) -> list[np.ndarray]:
    """Return a matrix for each seed, with readers as rows; NaN above the diagonal."""
    own = ours(points)[ours(points).panel == panel].astype({"series": int})
    seeds = own.groupby("seed")
    return [seed.pivot(index="series", columns="x", values="y").to_numpy() for _, seed in seeds]


def masked(matrix: np.ndarray) -> np.ndarray:
    """Return NaN where an entry is below 0.1 or 5 % of its row's greatest, as Wang 2019 masks."""
    size = np.abs(matrix)
    small = (size < 0.1) | (size < 0.05 * np.nanmax(size, axis=1, keepdims=True))
    return np.where(small, np.nan, matrix)


def early_rows_denser(matrix: np.ndarray) -> bool:
    """Tell whether a larger share of the entries exceeds the mask in the lower half of the rows."""
    shares = np.isfinite(masked(matrix)).sum(1) / np.isfinite(matrix).sum(1)
    lower, upper = np.split(shares, [len(shares) // 2])
    return bool(lower.mean() > upper.mean())


def share_of_recent_rows(matrix: np.ndarray) -> float:
    """Return the share of rows, from three entries on, whose recent third has the greater mean."""
    rows = [np.abs(row[: i + 1]) for i, row in enumerate(matrix) if i >= 2]
    parts = [np.split(row, [len(row) - max(1, len(row) // 3)]) for row in rows]
    return float(np.mean([recent.mean() > before.mean() for before, recent in parts]))


def column_varies(matrix: np.ndarray) -> bool:
    """Tell whether the readers of a layer differ by at least half of its greatest weight."""
    weights = matrix[COLUMN:, COLUMN]
    return bool(np.ptp(weights) >= np.abs(weights).max() / 2)

"""What each layer takes of each earlier one after training, as in Wang 2019, Figure 5."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.figure_option_parts import Line
from deepmt.config.papers import Figure
from deepmt.report.figures import style
from deepmt.report.figures.course_facts import agreed
from deepmt.report.figures.course_options import LayerWeights
from deepmt.report.figures.course_points import UNSEEN, courses, seeds_of
from deepmt.report.figures.facts import Fact, Finding
from deepmt.report.figures.points import ours, table_of
from deepmt.report.figures.sources import Sources
from deepmt.results.courses import Course

PANELS = {"encoder": "(a) encoder", "decoder": "(b) decoder"}
SMALL, SMALL_OF_ROW = 0.1, 0.05
"""The paper masks an entry below the first, or below the second of its row's greatest."""
MOST = 0.75
"""Share of the rows that must agree."""


def gather(figure: Figure, sources: Sources) -> pd.DataFrame:
    """A point an entry of the last look: x is the layer that is read, the series who reads it."""
    options: LayerWeights = figure.draw
    found, reasons = seeds_of(options.system, courses(sources), sources)
    points: list[dict[str, Any]] = []
    for stack, panel in PANELS.items():
        for course in found:
            own = {"panel": panel, "run": course.run, "seed": str(course.seed)}
            entries = last_matrix(course, stack)
            points += [own | entry for entry in entries]
            points += [] if entries else [own | {"note": f"seed {course.seed} {UNSEEN}"}]
        points += [{"panel": panel, "note": reason} for reason in reasons]
    return table_of(points)


def last_matrix(course: Course, stack: str) -> list[dict[str, Any]]:
    """Row i is what is read after y_0..y_i: the input of layer i + 1, or the stack's output."""
    looks = (course.mixtures or {}).get(stack) or [[]]
    return [
        {"series": str(i), "x": k, "y": weight}
        for i, row in enumerate(looks[-1])
        for k, weight in enumerate(row)
    ]


def matrices(points: pd.DataFrame, panel: str) -> list[np.ndarray]:
    """One a seed; above the diagonal is nothing."""
    own = ours(points)
    found = []
    for _, seed in own[own.panel == panel].groupby("seed"):
        table = seed.assign(row=seed.series.astype(int)).pivot(index="row", columns="x", values="y")
        found.append(table.to_numpy(float))
    return found


def masked(matrix: np.ndarray) -> np.ndarray:
    """NaN where an entry is small, or above the diagonal."""
    size = np.abs(matrix)
    small = (size < SMALL) | (size < SMALL_OF_ROW * np.nanmax(size, axis=1, keepdims=True))
    return np.where(small, np.nan, matrix)


def middle_layer(column: int, layers: int) -> int:
    """The column to show: a middle one where too few layers read the paper's."""
    return column if column < layers - 1 else layers // 2


def draw(points: pd.DataFrame, figure: Figure) -> Plot:
    """Matrices of the first seed, then the column for all seeds."""
    options: LayerWeights = figure.draw
    found = {panel: matrices(points, panel) for panel in PANELS.values()}
    shown = {panel: ones for panel, ones in found.items() if ones}
    layers = len(next(iter(shown.values()))[0]) - 1
    column = middle_layer(options.column, layers)
    titles = [*shown, f"(c) weight of layer {column} in the encoder"]
    plot, axes = style.new_figure(titles, height=2.4)
    limit = max(np.nanmax(np.abs(ones[0])) for ones in shown.values())
    for panel, ones in shown.items():
        places = range(len(ones[0]))
        colours: dict[str, Any] = {"cmap": "PuOr_r", "vmin": -limit, "vmax": limit}
        mesh = axes[panel].pcolormesh(places, places, masked(ones[0]), **colours)
        plot.colorbar(mesh, ax=axes[panel], shrink=0.8)
        axes[panel].grid(visible=False)
        axes[panel].invert_yaxis()
        axes[panel].set_aspect("equal")
        axes[panel].set_xlabel(options.x)
        axes[panel].set_ylabel("read after layer")
    last = axes[titles[-1]]
    for number, matrix in enumerate(found[PANELS["encoder"]]):
        look = style.look(Line(label=f"seed {number + 1}"), number)
        readers = range(column, len(matrix))
        last.plot(readers, matrix[column:, column], label=f"seed {number + 1}", **look)
    last.set_xlabel("read after layer")
    last.set_ylabel(options.y)
    style.legend(plot, [last])
    return plot


def find(points: pd.DataFrame, figure: Figure) -> Finding:
    """How many entries stand above the mask, and where the greatest of each row lie."""
    options: LayerWeights = figure.draw
    facts: dict[str, Fact] = {}
    texts = []
    for stack, panel in PANELS.items():
        found = matrices(points, panel)
        facts[f"{stack}_early_rows_denser"] = _agreed(found, early_rows_denser)
        facts[f"{stack}_recent_layers_weigh_more"] = _agreed(found, recent_layers_weigh_more)
        if found:
            density = np.mean([np.isfinite(masked(m)).sum() / np.isfinite(m).sum() for m in found])
            recent = np.mean([recent_rows(m) for m in found])
            texts.append(
                f"{density:.0%} of the {stack}'s weights stand above the mask, and in {recent:.0%}"
                " of its rows the recent third of the layers weighs more than the others"
            )
    encoder = matrices(points, PANELS["encoder"])
    facts["column_varies"] = _agreed(encoder, lambda m: column_varies(m, options.column))
    return Finding(f"{'; '.join(texts)}." if texts else "Not run.", facts)


def _agreed(found: Sequence[np.ndarray], judge: Callable[[np.ndarray], bool]) -> bool | None:
    """Of each seed; of too few layers nothing is concluded."""
    return agreed(judge(matrix) if len(matrix) > 5 else None for matrix in found)


def early_rows_denser(matrix: np.ndarray) -> bool:
    """Whether a larger share of the entries stands above the mask in the lower half of the rows."""
    shares = np.isfinite(masked(matrix)).sum(1) / np.isfinite(matrix).sum(1)
    half = len(shares) // 2
    return bool(shares[:half].mean() > shares[half:].mean())


def recent_layers_weigh_more(matrix: np.ndarray) -> bool:
    """Whether that holds of most rows."""
    return bool(recent_rows(matrix) >= MOST)


def recent_rows(matrix: np.ndarray) -> float:
    """Share of the rows, of three entries at least, whose recent third has the greater mean."""
    rows = [np.abs(row[: i + 1]) for i, row in enumerate(matrix) if i >= 2]
    cuts = [len(row) - max(1, len(row) // 3) for row in rows]
    return float(
        np.mean([row[c:].mean() > row[:c].mean() for row, c in zip(rows, cuts, strict=True)])
    )


def column_varies(matrix: np.ndarray, column: int) -> bool:
    """Whether the readers of a layer differ by at least half of its greatest weight."""
    k = middle_layer(column, len(matrix) - 1)
    weights = matrix[k:, k]
    return bool(np.ptp(weights) >= np.abs(weights).max() / 2)

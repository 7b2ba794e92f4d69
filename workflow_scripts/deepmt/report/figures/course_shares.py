"""What the last decoder layer takes of each encoder layer, as in Bapna 2018, Figure 4."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.figure_option_parts import Line
from deepmt.config.papers import Figure
from deepmt.report.figures import style
from deepmt.report.figures.course_facts import ENOUGH, agreed
from deepmt.report.figures.course_options import ShareCourse
from deepmt.report.figures.course_points import Values, courses, points_of, seeds_of
from deepmt.report.figures.facts import Fact, Finding, listed
from deepmt.report.figures.points import ours, table_of
from deepmt.report.figures.sources import Sources
from deepmt.results.courses import Course

EMBEDDINGS = "embeddings"
TOP = 0.25
"""Share of the layers that are the top ones."""


def gather(figure: Figure, sources: Sources) -> pd.DataFrame:
    """A point a look and encoder layer."""
    options: ShareCourse = figure.draw
    known = courses(sources)
    found, _ = seeds_of(options.system, known, sources)
    layers = max((len(look[-1]) for c in found for look in _looks(c).values()), default=1)
    return table_of(
        point
        for layer in range(layers)
        for point in points_of(
            options.system, {"panel": "", "series": name_of(layer)}, share(layer), known, sources
        )
    )


def name_of(layer: int) -> str:
    """0 is the embeddings."""
    return f"layer {layer}" if layer else EMBEDDINGS


def share(layer: int) -> Callable[[Course], Values]:
    """What to see of a course: the last reader's share of a layer at each update."""
    return lambda course: {update: look[-1][layer] for update, look in _looks(course).items()}


def _looks(course: Course) -> dict[int, list[list[float]]]:
    mixtures = course.mixtures or {"update": []}
    if "memory" not in mixtures:
        return {}
    return dict(zip(mixtures["update"], mixtures["memory"], strict=True))


def draw(points: pd.DataFrame, figure: Figure) -> Plot:
    """Means over seeds; layers that the paper does not name are thin and grey."""
    options: ShareCourse = figure.draw
    plot, axes = style.new_figure([""], height=2.2)
    one = axes[""]
    named = [name_of(layer) for layer in options.named]
    grey: dict[str, Any] = {"color": "#999999", "linewidth": 0.6}
    for series, own in ours(points).groupby("series", sort=False):
        mean = own.groupby("x").y.mean()
        if series in named:
            position = named.index(series)
            look = style.look(Line(label=series), position) | {"zorder": 3, "label": series}
            one.plot(mean.index, mean, markevery=max(1, len(mean) // 6), **look)
        else:
            one.plot(mean.index, mean, **grey)
    one.plot([], [], label="other layers", **grey)
    one.set_ylabel(options.y)
    one.set_xlabel(options.x)
    style.legend(plot, axes.values())
    return plot


def find(points: pd.DataFrame, figure: Figure) -> Finding:
    """What grows first, and what is read most in the end."""
    own = ours(points)
    seeds = [
        table.pivot(index="x", columns="series", values="y") for _, table in own.groupby("seed")
    ]
    order = list(dict.fromkeys(points.series))
    seeds = [seed[order] for seed in seeds]
    ends = [seed.iloc[-1] for seed in seeds]
    mean = sum(ends) / len(ends) if ends else None
    facts: dict[str, Fact] = {
        "embeddings_grow_first": _agreed(seeds, lambda seed: first_to_grow(seed) == EMBEDDINGS),
        "upper_layers_dominate_at_the_end": _agreed(seeds, upper_layers_dominate),
        "top_layers_comparable": _agreed(seeds, top_layers_comparable),
        "greatest_layer": float(order.index(mean.idxmax())) if mean is not None else None,
        "greatest_share": float(mean.max()) if mean is not None else None,
    }
    if mean is None:
        return Finding("Not run.", facts)
    first = listed(list(dict.fromkeys(map(first_to_grow, seeds))))
    largest = [f"{name} ({value:.2f})" for name, value in mean.nlargest(3).items()]
    uniform = 1 / len(order)
    text = (
        f"First to grow: {first}. Read most in the end: {listed(largest)}; {uniform:.2f} is even."
    )
    return Finding(text, facts)


def _agreed(seeds: Sequence[pd.DataFrame], judge: Callable[[pd.DataFrame], bool]) -> bool | None:
    return agreed(bool(judge(seed)) if len(seed) >= ENOUGH else None for seed in seeds)


def first_to_grow(seed: pd.DataFrame) -> str:
    """The layer with the greatest mean share over the first quarter of the looks."""
    return str(seed.iloc[: max(1, len(seed) // 4)].mean().idxmax())


def top_of(end: pd.Series) -> pd.Series:
    """The top quarter of the layers, three at least."""
    return end.iloc[-max(3, round(TOP * (len(end) - 1))) :]


def upper_layers_dominate(seed: pd.DataFrame) -> bool:
    """Whether the two greatest shares belong to top layers."""
    end = seed.iloc[-1]
    return set(end.nlargest(2).index) <= set(top_of(end).index)


def top_layers_comparable(seed: pd.DataFrame) -> bool:
    """Whether none of them has less than half of another's share."""
    top = top_of(seed.iloc[-1])
    return bool(top.min() >= top.max() / 2)

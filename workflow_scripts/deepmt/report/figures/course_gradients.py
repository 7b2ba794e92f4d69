"""Gradient norms of the first and last layers over training, as in Zhang 2019, Figure 4."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.figure_option_parts import Dash
from deepmt.config.papers import Figure
from deepmt.report.figures import style
from deepmt.report.figures.course_facts import every, every_pair, middle
from deepmt.report.figures.course_options import GradientCourse
from deepmt.report.figures.course_points import Values, by_seed, courses, draw_course, points_of
from deepmt.report.figures.facts import Fact, Finding, short, slug
from deepmt.report.figures.points import table_of
from deepmt.report.figures.sources import Sources
from deepmt.results.courses import Course

ENDS = {"first layer": 0, "last layer": -1}
DASHES: tuple[Dash, ...] = ("solid", "dotted")
VANISHED = 0.5
"""The first layer's norm over the last one's below which the gradient is said to vanish."""


def gather(figure: Figure, sources: Sources) -> pd.DataFrame:
    """A point a look, in a panel a stack."""
    options: GradientCourse = figure.draw
    known = courses(sources)
    points: list[dict[str, Any]] = []
    for stack, panel in options.panels.items():
        for line in options.lines:
            for end, index in ENDS.items():
                place = {"panel": panel, "series": f"{line.label}, {end}"}
                see = norms_of(stack, index)
                points += points_of(line.system, place, see, known, sources)
    return table_of(points)


def norms_of(stack: str, index: int) -> Callable[[Course], Values]:
    """What to see of a course: the norm of one layer at each update."""

    def see(course: Course) -> Values:
        looks = course.gradients or {"update": [], stack: []}
        return {u: layers[index] for u, layers in zip(looks["update"], looks[stack], strict=True)}

    return see


def draw(points: pd.DataFrame, figure: Figure) -> Plot:
    """First layers solid, last ones dotted."""
    options: GradientCourse = figure.draw
    plot, axes = style.new_figure(list(options.panels.values()))
    for panel, one in axes.items():
        for position, line in enumerate(options.lines):
            for end, dash in zip(ENDS, DASHES, strict=True):
                series = replace(line, label=f"{line.label}, {end}", dash=dash)
                draw_course(one, points, panel, series, position)
        style.logarithmic(one)
        one.set_ylabel(options.y)
    one.set_xlabel(options.x)
    style.legend(plot, axes.values())
    return plot


def find(points: pd.DataFrame, figure: Figure) -> Finding:
    """How far the first layer's norm lies below the last one's, and how steady both are."""
    options: GradientCourse = figure.draw
    facts: dict[str, Fact] = {}
    texts = []
    for stack, panel in options.panels.items():
        shares = {line.label: shares_of(points, panel, line.label) for line in options.lines}
        changes = {line.label: changes_of(points, panel, line.label) for line in options.lines}
        for label in shares:
            share = middle(seed.median() for seed in shares[label])
            change = middle(float(np.exp(seed.median())) for seed in changes[label])
            vanished = every(shares[label], lambda seed: seed.median() < VANISHED)
            facts[slug(f"{label} {stack} first over last")] = share
            facts[slug(f"{label} {stack} change a look")] = change
            facts[slug(f"{label} {stack} vanishes at the first layer")] = vanished
            if share is not None and change is not None:
                change_text = f"norms change by a factor of {change:.2f} from look to look"
                texts.append(f"{short(share)} in the {stack} {label}, where {change_text}")
        plain, *remedies = shares
        for label in remedies:
            restless = every_pair(
                changes[plain], changes[label], lambda a, b: a.median() > b.median()
            )
            steeper = every_pair(shares[plain], shares[label], lambda a, b: a.median() < b.median())
            facts[slug(f"{plain} {stack} less stable than {label}")] = restless
            facts[slug(f"{plain} {stack} steeper than {label}")] = steeper
    if not texts:
        return Finding("Not run.", facts)
    lead = "Median over looks of the first layer's gradient norm over the last one's"
    return Finding(f"{lead}: {'; '.join(texts)}.", facts)


def shares_of(points: pd.DataFrame, panel: str, label: str) -> list[pd.Series]:
    """First layer's norm over the last one's at each look, by seed."""
    return [a / b for a, b in _both(points, panel, label)]


def changes_of(points: pd.DataFrame, panel: str, label: str) -> list[pd.Series]:
    """|log norm - that of the look before|, mean of both layers, by seed."""
    pairs = _both(points, panel, label)
    return [(np.log(a).diff().abs() + np.log(b).diff().abs()).dropna() / 2 for a, b in pairs]


def _both(points: pd.DataFrame, panel: str, label: str) -> list[tuple[pd.Series, pd.Series]]:
    """Norms of the first and of the last layer, by seed."""
    first, last = (by_seed(points, panel, f"{label}, {end}") for end in ENDS)
    return [(first[seed], last[seed]) for seed in first if seed in last]

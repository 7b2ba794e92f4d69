"""Perplexity over training, as in Liu 2020, Figure 2."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.papers import Figure
from deepmt.report.figures import style
from deepmt.report.figures.course_facts import ENOUGH, agreed, middle
from deepmt.report.figures.course_options import CurvePanel, LearningCurve
from deepmt.report.figures.course_points import (
    Values,
    by_seed,
    courses,
    draw_course,
    ends,
    points_of,
)
from deepmt.report.figures.facts import Fact, Finding, decided, short, slug
from deepmt.report.figures.points import table_of
from deepmt.report.figures.sources import Sources
from deepmt.results.courses import Course

HARDLY = 0.25
"""Share of another curve's fall, in log perplexity, that is hardly any."""


def gather(figure: Figure, sources: Sources) -> pd.DataFrame:
    """A point a look."""
    options: LearningCurve = figure.draw
    known = courses(sources)
    points: list[dict[str, Any]] = []
    for panel in options.panels.values():
        for line in panel.lines:
            place = {"panel": panel.label, "series": line.label}
            points += points_of(line.system, place, perplexity(panel), known, sources)
    return table_of(points)


def perplexity(panel: CurvePanel) -> Callable[[Course], Values]:
    """What to see of a course; a loss with label smoothing does not stand in for it."""

    def see(course: Course) -> Values:
        looks = getattr(course, panel.text) or {}
        return dict(zip(looks["update"], looks["ppl"], strict=True)) if "ppl" in looks else {}

    return see


def draw(points: pd.DataFrame, figure: Figure) -> Plot:
    """A panel a text."""
    options: LearningCurve = figure.draw
    plot, axes = style.new_figure([panel.label for panel in options.panels.values()])
    for panel in options.panels.values():
        one = axes[panel.label]
        for position, line in enumerate(panel.lines):
            draw_course(one, points, panel.label, line, position)
        style.logarithmic(one)
        one.set_ylabel(panel.y)
    one.set_xlabel(options.x)
    style.legend(plot, axes.values())
    return plot


def find(points: pd.DataFrame, figure: Figure) -> Finding:
    """The lowest perplexity of each curve, and who diverged."""
    options: LearningCurve = figure.draw
    facts: dict[str, Fact] = {}
    texts = []
    for key, panel in options.panels.items():
        curves = {line.label: Curve.of(points, panel.label, line.label) for line in panel.lines}
        for label, curve in curves.items():
            facts[slug(f"{key} {label} lowest")] = middle(s.min() for s in curve.seeds.values())
            facts[slug(f"{key} {label} diverged")] = agreed(curve.lost.values())
        facts |= compared(key, curves)
        words = [curve.told(label) for label, curve in curves.items() if curve.lost]
        texts += [f"{panel.label}: {'; '.join(words)}."] if words else []
    return Finding(" ".join(texts) or "Not run.", facts)


@dataclass(frozen=True)
class Curve:
    """One system's perplexity by update, and whether it diverged, by seed."""

    seeds: dict[str, pd.Series]
    lost: dict[str, bool]

    @classmethod
    def of(cls, points: pd.DataFrame, panel: str, label: str) -> "Curve":
        """As the points tell."""
        return cls(by_seed(points, panel, label), ends(points, panel, label))

    def lowest(self) -> list[float]:
        """Least perplexity of each seed: none if it diverged, which is worse than anything."""
        least = {seed: float(values.min()) for seed, values in self.seeds.items()}
        return [math.inf if lost else least.get(k, math.nan) for k, lost in self.lost.items()]

    def told(self, label: str) -> str:
        """In words."""
        least = middle(values.min() for values in self.seeds.values())
        said = f"{label} falls to {short(least)}" if least is not None else f"{label} was not seen"
        lost = sum(self.lost.values())
        return said + (f" ({lost} of {len(self.lost)} seeds diverged)" if lost else "")


def compared(key: str, curves: dict[str, Curve]) -> dict[str, Fact]:
    """Each other curve with the first, and how far the first falls beside it."""
    facts: dict[str, Fact] = {}
    plain, *others = curves
    for label in others:
        a, b = curves[label], curves[plain]
        lower = agreed(decided([x < y], [x, y]) for x, y in product(a.lowest(), b.lowest()))
        pairs = product(b.seeds.values(), a.seeds.values())
        hardly = agreed(hardly_falls(x, y) for x, y in pairs)
        facts[slug(f"{key} {label} lower than {plain}")] = lower
        facts[slug(f"{key} {plain} hardly falls beside {label}")] = hardly
    return facts


def hardly_falls(seed: pd.Series, beside: pd.Series) -> bool | None:
    """Whether it falls by a small share of the other's fall; None if too little was seen."""
    if min(len(seed), len(beside)) < ENOUGH:
        return None
    return fall(seed) < HARDLY * fall(beside)


def fall(seed: pd.Series) -> float:
    """From the first look to the lowest, in log perplexity."""
    return math.log(seed.iloc[0]) - math.log(seed.min())

"""r_t over training, as in Bapna 2018, Figures 1 to 3."""

from collections.abc import Sequence
from math import ceil

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.papers import Figure
from deepmt.report.figures import style
from deepmt.report.figures.course_facts import every, every_pair, middle
from deepmt.report.figures.course_options import SignalRatio
from deepmt.report.figures.course_points import Values, by_seed, courses, draw_course, points_of
from deepmt.report.figures.facts import Fact, Finding, short, slug
from deepmt.report.figures.points import table_of
from deepmt.report.figures.sources import Sources
from deepmt.results.courses import Course

APART = 2.0
"""Ratios that differ by a smaller factor are alike."""
VANISHED = 0.1
"""r_t below which next to nothing reaches the first layer."""


def gather(figure: Figure, sources: Sources) -> pd.DataFrame:
    """A point a look."""
    options: SignalRatio = figure.draw
    known = courses(sources)
    return table_of(
        point
        for line in options.lines
        for point in points_of(
            line.system, {"panel": "", "series": line.label}, ratios, known, sources
        )
    )


def ratios(course: Course) -> Values:
    """r_t = |dL/dh_1| / |dL/dh_N| at each look."""
    looks = course.signals or {"update": [], "encoder": []}
    return {
        update: norms[0] / norms[-1]
        for update, norms in zip(looks["update"], looks["encoder"], strict=True)
        if norms[0] is not None and norms[-1]
    }


def draw(points: pd.DataFrame, figure: Figure) -> Plot:
    """One panel."""
    options: SignalRatio = figure.draw
    plot, axes = style.new_figure([""], height=2.2)
    for position, line in enumerate(options.lines):
        draw_course(axes[""], points, "", line, position)
    style.logarithmic(axes[""])
    axes[""].set_ylabel(options.y)
    axes[""].set_xlabel(options.x)
    style.legend(plot, axes.values())
    return plot


def find(points: pd.DataFrame, figure: Figure) -> Finding:
    """How large r_t is early and late, how often it vanishes, and how depths compare."""
    options: SignalRatio = figure.draw
    seeds = {line.label: list(by_seed(points, "", line.label).values()) for line in options.lines}
    facts: dict[str, Fact] = {}
    for label, found in seeds.items():
        facts |= of_line(label, found)
    plain, *others = seeds
    for label in others:
        smaller = every_pair(seeds[label], seeds[plain], lambda a, b: (a / b).median() < 1 / APART)
        like = every_pair(
            seeds[label], seeds[plain], lambda a, b: 1 / APART <= (a / b).median() <= APART
        )
        facts[slug(f"{label} much smaller than {plain}")] = smaller
        facts[slug(f"{label} like {plain}")] = like
    texts = [told(label, found) for label, found in seeds.items() if found]
    return Finding(f"r_t {'; '.join(texts)}." if texts else "Not run.", facts)


def of_line(label: str, seeds: Sequence[pd.Series]) -> dict[str, Fact]:
    """What one curve shows."""
    facts: dict[str, Fact] = {
        "early": middle(early(seed) for seed in seeds),
        "late": middle(late(seed) for seed in seeds),
        "high early": every(seeds, lambda seed: early(seed) >= APART * late(seed)),
        "flat": every(seeds, alike),
        "below 1": every(seeds, lambda seed: (seed < 1).all()),
        "vanishes": every(seeds, lambda seed: (seed < VANISHED).mean() >= 0.5),
        "looks stable": every(seeds, lambda seed: (seed >= VANISHED).mean() >= 0.9),
    }
    return {slug(f"{label} {name}"): fact for name, fact in facts.items()}


def alike(seed: pd.Series) -> bool:
    """Whether early and late values differ by less than a factor."""
    return early(seed) < APART * late(seed) and late(seed) < APART * early(seed)


def early(seed: pd.Series) -> float:
    """Median of the first fifth of the looks."""
    return float(seed.iloc[: ceil(len(seed) / 5)].median())


def late(seed: pd.Series) -> float:
    """Median of the last half of the looks."""
    return float(seed.iloc[len(seed) // 2 :].median())


def told(label: str, seeds: Sequence[pd.Series]) -> str:
    """In words."""
    first, last = (middle(map(part, seeds)) for part in (early, late))
    assert first is not None
    assert last is not None
    looks = sum(len(seed) for seed in seeds)
    below = sum(int((seed < VANISHED).sum()) for seed in seeds)
    return (
        f"is {short(first)} early and {short(last)} late with {label},"
        f" below {VANISHED:g} in {below} of {looks} looks"
    )

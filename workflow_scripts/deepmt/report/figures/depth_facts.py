"""What scores or speeds by depth show: facts for claims, and words for the finding."""

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from deepmt.report.figures.facts import Fact, decided, finite, listed, slug
from deepmt.report.figures.points import diverged


def by_depth(points: pd.DataFrame, series: str, sign: int = 1) -> pd.Series:
    """Values of a series by depth: NaN where it was not run, -inf where every seed diverged.

    With the sign -1 they are the negated values of what is better the lower it is, so that the
    facts below mean the same of both.

    Raises:
        ValueError: two of its systems are equally deep.
    """
    own = points[(points.source == "ours") & (points.series == series)]
    if not own.x.is_unique:
        raise ValueError(f"draw: two systems of '{series}' are equally deep; each needs a line")
    values = (sign * own.y).mask(own.index.isin(diverged(own).index), -math.inf)
    return pd.Series(values.to_numpy(), index=own.x).sort_index()


def of_curve(name: str, values: pd.Series, depths: Iterable[int]) -> dict[str, Fact]:
    """Whether deeper is better, where it is best, and what changes at some depths."""
    gains = values.diff().iloc[1:]
    layers = pd.Series(values.index, index=values.index).diff().iloc[1:]
    facts: dict[str, Fact] = {
        "deeper is better": decided(gains > 0, values),
        "best depth": float(values.idxmax()) if decided([True], values) else None,
        "steepest first": decided([(gains / layers).idxmax() == gains.index[0]], values)
        if decided(np.isfinite(gains), values)
        else None,
    }
    for depth in depths:
        until, after = values[values.index <= depth], values[values.index > depth]
        at, first, best = values.get(depth, math.nan), values.iloc[0], after.max()
        facts |= {
            f"gains most by {depth}": decided([at - first > best - at], values, [at, best]),
            f"gains nothing beyond {depth}": decided([best <= until.max()], values, [best]),
            f"worse beyond {depth}": decided(after < at, after, [at]),
        }
    return {slug(f"{name} {fact}"): found for fact, found in facts.items()}


def against_level(
    name: str, values: pd.Series, level: tuple[str, float], depths: Iterable[int], alike: float
) -> dict[str, Fact]:
    """How far a curve lies above a level at some depths, and whether it does beyond them."""
    of, height = level
    facts: dict[str, Fact] = {}
    for depth in depths:
        at, after = values.get(depth, math.nan), values[values.index > depth]
        facts |= {
            f"minus {of} at {depth}": finite(at - height),
            f"like {of} at {depth}": decided([abs(at - height) <= alike], [at, height]),
            f"above {of} beyond {depth}": decided(after > height, after, [height]),
        }
    return {slug(f"{name} {fact}"): found for fact, found in facts.items()}


def told(name: str, values: pd.Series, decimals: int = 1) -> str:
    """From the first to the best to the last depth, without signs; "" if nothing was measured."""
    there = values[values.map(math.isfinite)]
    lost = listed([f"{depth:g}" for depth in values.index[values == -math.inf]])
    ending = f"; it diverged at {lost}" if lost else ""
    if there.empty:
        return f"{name} diverged at {lost} layers" if lost else ""
    words = [f"{name} has {abs(there.iloc[0]):.{decimals}f} at {there.index[0]:g} layers"]
    for depth in dict.fromkeys([there.idxmax(), there.index[-1]]):
        if depth != there.index[0]:
            best = ", its best," if depth == there.idxmax() else ""
            words.append(f"{abs(there[depth]):.{decimals}f}{best} at {depth:g}")
    return listed(words) + ending

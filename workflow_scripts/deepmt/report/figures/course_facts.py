"""What courses show: judged for every seed, and undecided where seeds disagree."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from statistics import median

import pandas as pd

ENOUGH = 8
"""Looks: from fewer nothing is concluded."""


def agreed(verdicts: Iterable[bool | None]) -> bool | None:
    """What all say; None if there are none, one is undecided, or they disagree."""
    found = set(verdicts)
    return found.pop() if len(found) == 1 else None


def every(seeds: Sequence[pd.Series], judge: Callable[[pd.Series], bool]) -> bool | None:
    """What holds of each seed by itself."""
    return agreed(bool(judge(seed)) if len(seed) >= ENOUGH else None for seed in seeds)


def every_pair(
    ours: Sequence[pd.Series],
    others: Sequence[pd.Series],
    judge: Callable[[pd.Series, pd.Series], bool],
) -> bool | None:
    """What holds of each seed of one system beside each of another, over their common updates."""
    verdicts = []
    for a, b in product(ours, others):
        common = a.index.intersection(b.index)
        verdicts.append(bool(judge(a[common], b[common])) if len(common) >= ENOUGH else None)
    return agreed(verdicts)


def middle(values: Iterable[float]) -> float | None:
    """Their median, if there are any."""
    found = list(values)
    return float(median(found)) if found else None

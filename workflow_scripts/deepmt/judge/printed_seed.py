"""Judge our seeds against a score of which a paper prints one seed, on the same test set."""

import math
from typing import Literal

from deepmt.judge.interval import student
from deepmt.judge.judged import Judged

Verdict = Literal["reproduced", "weaker", "stronger", "undecided"]
WIDEST = 1.0
"""Half width, in points, above which nothing is reproduced."""


def against_printed_seed(
    printed: float, mean: float, spread: float | None, seeds: int
) -> Judged[Verdict]:
    """Return our mean over some seeds, half of the interval of one more, and the verdict.

    Half of it is t sd sqrt(1 + 1/n): where a seed of ours would lie with a chance of 95 %, if
    theirs is one. It is reproduced if it lies there and half is at most WIDEST; else stronger or
    weaker beyond, and undecided where the interval is wider. Sentences are the same, and left out.
    """
    if spread is None:
        return Judged(value=mean, verdict="undecided", why="one seed has no spread")
    half = student(seeds - 1) * spread * math.sqrt(1 + 1 / seeds)
    if abs(mean - printed) > half:
        return Judged(value=mean, half=half, verdict="stronger" if mean > printed else "weaker")
    if half > WIDEST:
        why = f"one more seed of ours may lie {half:.2f} from their mean, and {WIDEST:g} is allowed"
        return Judged(value=mean, half=half, verdict="undecided", why=why)
    return Judged(value=mean, half=half, verdict="reproduced")

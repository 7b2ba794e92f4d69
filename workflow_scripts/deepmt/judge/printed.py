"""Judge our value against the published one, by a written rule."""

import math
from typing import Literal

from deepmt.judge.interval import Judged, student
from deepmt.judge.run_outcome import RunOutcome
from deepmt.judge.standard_error import TOLERANCES
from deepmt.measured.system_value import ABSENT
from deepmt.study.measures import TIMES
from deepmt.study.papers import Column, Row, measure_of

Verdict = Literal[
    "reproduced", "weaker", "stronger", "contradicted", "differs-on-this-machine", "undecided",
    "not-comparable",
]  # fmt: skip
FAILED = ("failed", "diverged")
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


RULE = (
    "A system trains with the seeds that finish with 5 BLEU or more; its value is the mean over"
    " these. Verdict: reproduced = the 95 % interval of ours lies within the tolerance of the"
    " published value (0.5 points of BLEU, chrF, TER or METEOR; 3 % of a perplexity; 1 % of a"
    " number of parameters; 2 % of a number of sentences, tokens or merges; .06 of a ratio or"
    " variance at initialisation; 5 % of a ratio of times); weaker or stronger = it lies beyond"
    " that, or for a ratio of times, differs on this machine;"
    " contradicted = a system that the paper says failed trains here with every seed, or one that"
    " the paper trained fails here with every seed, or a size of a model or corpus differs;"
    " undecided = the interval contains a limit of the tolerance, or only some seeds train."
    " A printed value of one seed on the same test set is reproduced if it lies in the 95 %"
    " interval of one more seed of ours, and that is at most 1 point to each side."
    " not-comparable = another scale, corpus or test set than the paper's, a time or speed,"
    " a ratio that is 1 by definition, or nothing printed (but for BLEU, if a system failed)."
)


def judge(
    *,
    row: Row,
    column: Column,
    status: str,
    ours: float | None,
    noise: float,
    outcome: RunOutcome | None,
    comparable: bool,
    spread: float | None = None,
    seeds: int = 0,
) -> Verdict:
    """Return the verdict on a cell; `comparable` means the paper's scale, corpus and test set.

    `noise` is half of the 95 % interval of ours; `outcome` is None if nothing was trained for it.
    `spread` is over so many `seeds`, for a printed value of one seed.
    """
    published = row.values.get(column.key)
    if not comparable or status in ABSENT:
        return "not-comparable"
    if published is None and row.status in FAILED and column.better != "neither":
        if outcome != "failed" and not measure_of(row, column).startswith("bleu"):
            return "not-comparable"
        same: dict[RunOutcome | None, Verdict] = {"failed": "reproduced", "undecided": "undecided"}
        return same.get(outcome, "contradicted")
    if published is None or column.unit not in TOLERANCES:
        return "not-comparable"
    if outcome in ("failed", "undecided"):
        return "contradicted" if outcome == "failed" else "undecided"
    if ours is None:
        return "not-comparable"
    if column.seeds == 1:
        return against_printed_seed(published, ours, spread, seeds).verdict
    found = _compare(published, ours, noise, column)
    timed = measure_of(row, column) in TIMES and found in ("weaker", "stronger", "contradicted")
    return "differs-on-this-machine" if timed else found


def _compare(published: float, ours: float, noise: float, column: Column) -> Verdict:
    tolerance = TOLERANCES[column.unit].of(published) + 1e-9
    difference = ours - published
    if abs(difference) + noise <= tolerance:
        return "reproduced"
    if abs(difference) - noise <= tolerance:
        return "undecided"
    if column.better == "neither":
        return "contradicted"
    return "stronger" if (difference > 0) == (column.better == "higher") else "weaker"

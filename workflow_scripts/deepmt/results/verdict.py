"""Judge our value against the published one, by a written rule."""

from dataclasses import dataclass
from typing import Literal

from deepmt.config.measures import measure_of
from deepmt.config.papers import Column, Row
from deepmt.results.records import FAILURES

Verdict = Literal["reproduced", "weaker", "stronger", "contradicted", "not-comparable"]
FULL_SCALE = "paper"
FAILED = ("failed", "diverged")
MEASURED = ("measured", "recorded")


@dataclass(frozen=True)
class Tolerance:
    """Define the smallest difference between two measurements that counts."""

    absolute: float = 0.0
    relative: float = 0.0

    def of(self, published: float) -> float:
        """Return the tolerance in the unit of the value."""
        return max(self.absolute, self.relative * abs(published))


TOLERANCES = {
    "BLEU": Tolerance(absolute=0.5),
    "BLEU [%]": Tolerance(absolute=0.5),
    "chrF": Tolerance(absolute=0.5),
    "TER": Tolerance(absolute=0.5),
    "METEOR": Tolerance(absolute=0.5),
    "perplexity": Tolerance(relative=0.03),
    "million parameters": Tolerance(relative=0.01),
    "million tokens": Tolerance(relative=0.02),
    "million sentence pairs": Tolerance(relative=0.02),
    "thousand merge operations": Tolerance(relative=0.02),
    "ratio; variance for var_r": Tolerance(absolute=0.06),
    "ratio": Tolerance(relative=0.05),
}
"""Tolerances of the units that can be compared.

Times and speeds depend on the machine and are not compared. The tolerance of their ratios follows
the printed ones: pre-norm decodes at 0.92, 0.96 and 0.98 times the speed of post-norm. Some corpus
sizes are printed with two digits: 3.3 million may be 1.5 % more or less.
"""

UNLEARNED = 5.0
"""BLEU below which a translation ignores its source; a dictionary has 18 on our corpus."""


def unlearned(measure: str, value: float | None) -> bool:
    """Check if a finished system learned nothing, i.e. has less than 5 BLEU."""
    return measure.startswith("bleu") and value is not None and value < UNLEARNED


RULE = (
    "Verdict: reproduced = ours lies within the larger of the tolerance (0.5 points of BLEU, chrF,"
    " TER or METEOR; 3 % of a perplexity; 1 % of a number of parameters; 2 % of a number of"
    " sentences, tokens or merges; .06 of a ratio or variance at initialisation; 5 % of a ratio of"
    " times) and twice our spread over seeds or rounds; weaker or stronger = beyond that;"
    " contradicted = a system that the paper says failed trains here, or one that the paper trained"
    " fails here (it diverges, stalls or collapses, or ends below 5 BLEU), or a size of a model or"
    " corpus differs."
    " not-comparable = another scale, corpus or test set than the paper's, a time or speed,"
    " a ratio that is 1 by definition, or nothing printed (but for BLEU, if a system failed)."
)


def judge(
    *,
    row: Row,
    column: Column,
    status: str,
    ours: float | None,
    spread: float | None,
    comparable: bool,
) -> Verdict:
    """Return the verdict on a cell; `comparable` means the paper's scale, corpus and test set."""
    published = row.values.get(column.key)
    if not comparable or status not in (*MEASURED, *FAILURES):
        return "not-comparable"
    measure = measure_of(row, column)
    failed = status not in MEASURED or unlearned(measure, ours)
    if published is None and row.status in FAILED and column.better != "neither":
        if not failed and not measure.startswith("bleu"):
            return "not-comparable"
        return "reproduced" if failed else "contradicted"
    if published is None or column.unit not in TOLERANCES:
        return "not-comparable"
    if failed:
        return "contradicted"
    return "not-comparable" if ours is None else _compare(published, ours, spread or 0.0, column)


def _compare(published: float, ours: float, spread: float, column: Column) -> Verdict:
    tolerance = max(TOLERANCES[column.unit].of(published), 2 * spread)
    difference = ours - published
    if abs(difference) <= tolerance + 1e-9:
        return "reproduced"
    if column.better == "neither":
        return "contradicted"
    return "stronger" if (difference > 0) == (column.better == "higher") else "weaker"

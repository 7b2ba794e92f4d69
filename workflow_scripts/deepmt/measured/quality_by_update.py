"""Read the quality of a seed at each of its milestones and at the end of training."""

import math
from collections.abc import Mapping

from deepmt.measured.records import Record

MEASURES = ("chrf", "bleu")


def quality_by_update(record: Record, split: str) -> dict[int, Mapping[str, float]]:
    """Return perplexity, chrF and BLEU of a split by update; NaN where one was not measured."""
    found: dict[int, Mapping[str, float]] = {}
    for one in record.milestones:
        scores = one.scores.get(split, {})
        found[one.update] = {"perplexity": one.perplexities.get(split, math.nan)} | {
            measure: scores.get(measure, math.nan) for measure in MEASURES
        }
    last = record.scores.get(split, {})
    found[record.updates] = {"perplexity": record.perplexities.get(split, math.nan)} | {
        measure: last[measure].value if measure in last else math.nan for measure in MEASURES
    }
    return found

"""Decide which seeds of a run trained, and if the run did."""

from collections.abc import Sequence
from math import isfinite
from typing import Literal

from deepmt.metrics.interval import half_width, mean_and_spread
from deepmt.results.records import Record
from deepmt.results.standard_error import Pooled, Sample, standard_error

UNLEARNED = 5.0
"""BLEU below which a translation ignores its source; a dictionary has 18 on our corpus."""
RunOutcome = Literal["trained", "failed", "undecided"]


def best_bleu(record: Record) -> float | None:
    """Return the best sacreBLEU over the translated splits, or None if there are none."""
    return max((s["bleu"].value for s in record.scores.values() if "bleu" in s), default=None)


def trains(record: Record) -> bool:
    """Check if a seed finished and learned something, i.e. has 5 BLEU or more."""
    bleu = best_bleu(record)
    return record.outcome == "finished" and (bleu is None or bleu >= UNLEARNED)


def too_short(record: Record) -> bool:
    """Check if a seed ended before it could be given up: that it learned nothing says nothing."""
    patience = record.spec["training"].get("divergence_patience", 0)
    return record.outcome == "finished" and record.updates < patience


def averaged(records: Sequence[Record]) -> list[Record]:
    """Return the seeds behind a score: those that train, or all if none does."""
    return list(filter(trains, records)) or list(records)


def low_scores(records: Sequence[Record]) -> str:
    """Return e.g. "1 of 3 seeds ended below 5 BLEU", or "" if none did."""
    low = sum(record.outcome == "finished" and not trains(record) for record in records)
    share = f"{low} of {len(records)} seeds " if len(records) > 1 else ""
    return f"{share}ended below {UNLEARNED:g} BLEU" if low else ""


def run_outcome(records: Sequence[Record], pooled: Pooled) -> RunOutcome:
    """Return if a run trained or failed; undecided unless all seeds agree, and their mean too.

    Without a seed it is undecided, and if it fails in too few updates. The interval of their mean
    BLEU must not contain 5; it is +- 2.5 where no spread is known.
    """
    trained = sum(map(trains, records))
    scores = [best_bleu(record) for record in records if record.outcome == "finished"]
    known = [score for score in scores if score is not None]
    too_few = not trained and any(map(too_short, records))
    if not records or 0 < trained < len(records) or too_few:
        return "undecided"
    if known:
        mean, spread = mean_and_spread(known)
        noise = half_width([standard_error(Sample("BLEU", "", mean, spread, len(known)), pooled)])
        if abs(mean - UNLEARNED) <= (noise if isfinite(noise) else UNLEARNED / 2):
            return "undecided"
    return "trained" if trained else "failed"

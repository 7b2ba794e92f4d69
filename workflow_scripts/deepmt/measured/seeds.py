"""Tell what a seed learned, and average over seeds."""

import math
from collections.abc import Sequence
from statistics import fmean

from deepmt.base.errors import UserError
from deepmt.measured.records import Record
from deepmt.train.divergence import PROGRESS

UNLEARNED = 5.0
"""BLEU below which a translation ignores its source; a dictionary has 18 on our corpus."""


def best_bleu(record: Record) -> float | None:
    """Return the best sacreBLEU over the translated splits, or None if there are none."""
    return max((s["bleu"].value for s in record.scores.values() if "bleu" in s), default=None)


def trains(record: Record) -> bool:
    """Check if a seed finished and learned something, i.e. has 5 BLEU or more.

    Where no reference has four words, BLEU is not defined: it must predict better than unigrams.
    """
    if record.outcome != "finished":
        return False
    if (bleu := best_bleu(record)) is not None:
        return bleu >= UNLEARNED
    scored = [record.perplexities[split] for split in record.scores if split in record.perplexities]
    known = scored and record.unigram_loss is not None
    return not known or math.log(min(scored)) <= PROGRESS * (record.unigram_loss or 0.0)


def too_short(record: Record) -> bool:
    """Check if a seed ended before it could be given up: that it learned nothing says nothing."""
    patience = record.spec["training"].get("divergence_patience", 0)
    return record.outcome == "finished" and record.updates < patience


def averaged(records: Sequence[Record]) -> list[Record]:
    """Return the seeds behind a score: those that train, or all if none does."""
    return list(filter(trains, records)) or list(records)


def low_scores(records: Sequence[Record]) -> str:
    """Return e.g. "1 of 3 seeds ended below 5 BLEU", or "" if none did."""
    low = [one for one in records if one.outcome == "finished" and not trains(one)]
    share = f"{len(low)} of {len(records)} seeds " if len(records) > 1 else ""
    undefined = any(best_bleu(one) is None for one in low)
    limit = "no better than unigrams" if undefined else f"below {UNLEARNED:g} BLEU"
    return f"{share}ended {limit}" if low else ""


def mean_and_spread(values: Sequence[float]) -> tuple[float, float | None]:
    """Return mean and sample standard deviation (n - 1; None for one value, or an infinite one).

    Raises:
        ValueError: if there is no value.
    """
    if not values:
        raise UserError("no values to average: at least one seed must have a score")
    mean = fmean(values)
    if len(values) < 2 or not all(map(math.isfinite, values)):
        return mean, None
    return mean, math.sqrt(math.fsum((one - mean) ** 2 for one in values) / (len(values) - 1))

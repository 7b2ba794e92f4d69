"""Decide if a run trained."""

from collections.abc import Sequence
from math import isfinite
from typing import Literal

from deepmt.judge.interval import half_width
from deepmt.judge.standard_error import Pooled, Sample, standard_error
from deepmt.measured.records import Record
from deepmt.measured.seeds import UNLEARNED, best_bleu, mean_and_spread, too_short, trains

RunOutcome = Literal["trained", "failed", "undecided"]


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

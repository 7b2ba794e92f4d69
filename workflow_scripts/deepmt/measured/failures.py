"""Describe which seeds of a run diverged, stalled or collapsed."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from deepmt.measured.collapse import collapse
from deepmt.measured.record_file import FAILURES, FailureKind
from deepmt.measured.records import Record
from deepmt.measured.seeds import low_scores, too_short
from deepmt.measured.training_curves import TrainingCurves
from deepmt.train.outcome import RecordedFailure

FAILED_AT = re.compile(rf"(?:{'|'.join(FAILURES)}) at updates? ([\d, ]*\d)")
"""Match the outcome and the updates in the text of `failures`."""


def with_collapse(
    records: Iterable[Record], curves: Iterable[TrainingCurves]
) -> tuple[Record, ...]:
    """Return the records, where finished runs whose training curves collapsed have that outcome.

    A run with too few updates has not.
    """
    found = {(one.run, one.seed): collapse(dict(one.sections())) for one in curves}
    return tuple(
        replace(record, outcome="collapsed", failure=RecordedFailure(update=end[0], reason=end[1]))
        if (end := found.get((record.run, record.seed)))
        and record.outcome == "finished"
        and not too_short(record)
        else record
        for record in records
    )


def main_failure(records: Sequence[Record]) -> FailureKind:
    """Return how most of the seeds of a run failed; of equal numbers, the worst."""
    counts = Counter(record.outcome for record in records)
    return max(FAILURES, key=lambda outcome: counts[outcome])


def failures(records: Sequence[Record]) -> str:
    """Return e.g. "2 of 3 seeds diverged at updates 90, 120", several joined by "and", or ""."""
    texts = []
    for outcome in FAILURES:
        ends = [one.failure for one in records if one.failure and one.outcome == outcome]
        share = f"{len(ends)} of {len(records)} seeds " if len(records) > 1 else ""
        updates = sorted(end.update for end in ends)
        updates = updates[:1] if len({*updates}) == 1 else updates
        plural = "s" if len(updates) > 1 else ""
        if updates:
            texts.append(f"{share}{outcome} at update{plural} {', '.join(map(str, updates))}")
    return " and ".join(texts)


def ends(records: Sequence[Record]) -> str:
    """Return how seeds ended that do not train, e.g. "collapsed at update 90", or ""."""
    return " and ".join(filter(None, (failures(records), low_scores(records))))


def reasons(records: Sequence[Record]) -> tuple[str, ...]:
    """Return notes about the seeds that do not train, with the reasons."""
    said = dict.fromkeys(record.failure.reason for record in records if record.failure)
    failed = f"{failures(records)}: {', '.join(said)}" if said else ""
    return tuple(filter(None, (failed, low_scores(records))))

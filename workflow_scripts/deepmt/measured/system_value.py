"""Give the value of a system on a quantity over its seeds, or the reason why there is none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal, get_args

from deepmt.measured.failures import main_failure, reasons
from deepmt.measured.record_file import FailureKind
from deepmt.measured.records import Measurement, Place, Record
from deepmt.measured.seeds import averaged, mean_and_spread, trains
from deepmt.measured.table import Measured
from deepmt.settings.text_steps import SAMPLE
from deepmt.study.measures import DECODING_SPEED, ELSEWHERE, SCORES, Quantity, of_split

Absence = Literal["refused", "not-run", "quoted", "not-applicable"]
"""Why there is no value."""
ABSENT: tuple[Absence, ...] = get_args(Absence)
Status = FailureKind | Absence | Literal["measured", "recorded"]
MEASURED = ("measured", "recorded")
SPEEDS = ("train_tokens_per_s", DECODING_SPEED)
"""Measures that depend on the machine of the run."""
SETTINGS = ("params_m", "learning_rate")
"""Measures that no failure changes."""
OWN_SPLITS = (SAMPLE, "dev")
"""Splits that are never replaced by a test set."""
STAND_IN = "measured on"
"""Begins a note that names the test set in place of the column's."""


@dataclass(frozen=True, kw_only=True)
class SystemValue:
    """Hold our value of a system, or the reason for its absence."""

    status: Status
    ours: float | None = None
    spread: float | None = None
    seeds: int = 0
    trained: int | None = None
    """Seeds that train; None if nothing was trained for the value."""
    notes: tuple[str, ...] = ()
    origin: str = ""
    """`runs`, or the file of values that need no training."""
    same_split: bool = True
    full_size: bool = False
    """Counted or measured on the paper's own model, at every scale."""


def system_value(row: str, asked: Quantity, known: Measured) -> SystemValue:
    """Return our value of the system of a row, or the reason for its absence."""
    if known.untrained_value(row, asked):
        return untrained(row, asked, known)
    if missing := known.why_not(row, asked.measure):
        refused = missing == known.refusals_of(row)
        return SystemValue(status="refused" if refused else "not-run", notes=missing)
    value = _over_seeds(asked, known.records_of(row))
    return replace(value, notes=(*value.notes, *known.refusals_of(row)))


def difference(row: str, reference: str | None, asked: Quantity, known: Measured) -> SystemValue:
    """Return the mean of some columns in a row minus that in its reference row.

    The spread is sqrt(spread_1^2 + spread_2^2), since the seeds of two systems are unpaired.
    """
    if reference is None:
        return SystemValue(status="not-applicable", notes=("no reference row",))
    asked = replace(asked, measure="mean")
    mine = system_value(row, asked, known)
    if mine.status not in MEASURED:
        return replace(mine, ours=None, spread=None)
    theirs = system_value(reference, asked, known)
    if theirs.status not in MEASURED or mine.ours is None or theirs.ours is None:
        return SystemValue(status="not-run", notes=(f"its reference {reference} has no value",))
    if theirs.trained != theirs.seeds:
        note = f"its reference {reference} trains {theirs.trained} of {theirs.seeds} seeds"
        return SystemValue(status="not-run", notes=(note,))
    spreads = [s for s in (mine.spread, theirs.spread) if s is not None]
    return replace(
        mine,
        ours=mine.ours - theirs.ours,
        spread=sum(s * s for s in spreads) ** 0.5 if len(spreads) == 2 else None,
        notes=(*mine.notes, f"against {reference}"),
        same_split=mine.same_split and theirs.same_split,
    )


def untrained(row: str, asked: Quantity, known: Measured) -> SystemValue:
    """Return our value of a row that no run trains, or the target that measures it."""
    found = known.untrained_value(row, asked)
    if not found:
        return SystemValue(status="not-run", notes=(ELSEWHERE[asked.measure],))
    return SystemValue(
        status="recorded" if found.recorded else "measured",
        ours=found.value,
        spread=found.spread,
        seeds=found.seeds,
        notes=(found.note,),
        origin=found.file,
        same_split=found.judged,
        full_size=found.judged,
    )


def _over_seeds(asked: Quantity, records: Sequence[Record]) -> SystemValue:
    """Return mean and sample standard deviation over the seeds that train."""
    counts_all = asked.measure in SETTINGS
    used = used_seeds(records, asked)
    finished = any(record.outcome == "finished" for record in records)
    found = [of_seed(record, asked) for record in used]
    values = [value for value in found if value is not None]
    status: Status = "recorded" if all(record.archived for record in used) else "measured"
    if not finished and not counts_all:
        status = main_failure(records)
    elif len(values) < len(used) and (not values or any(map(trains, used))):
        missing = f"the record has no {asked.measure} for this cell"
        return SystemValue(status="not-run", notes=(missing, *reasons(records)))
    others = dict.fromkeys(split for record in used for split in stand_ins(record, asked))
    notes = [f"{STAND_IN} {split}" for split in others]
    if asked.measure in SPEEDS:
        notes += dict.fromkeys(f"on {machine_of(record)}" for record in used)
    archived = sum(record.archived for record in used)
    if 0 < archived < len(used):
        notes.append(f"{archived} of {len(used)} seeds from records/")
    if any(record.kept for record in used):
        notes.append("kept: trained by an earlier version of the code")
    ours, spread = mean_and_spread(values) if values else (None, None)
    return SystemValue(
        status=status,
        ours=ours,
        spread=None if counts_all else spread,
        seeds=len(records),
        trained=None if counts_all else sum(map(trains, records)),
        notes=(*notes, *(() if counts_all else reasons(records))),
        origin="runs",
        same_split=not others,
    )


def used_seeds(records: Sequence[Record], asked: Quantity) -> Sequence[Record]:
    """Return the seeds behind a value: no failure changes a setting."""
    return records if asked.measure in SETTINGS else averaged(records)


def machine_of(record: Record) -> str:
    """Return the machines of a run, with the number of threads."""
    threads = record.hardware.get("threads")
    return f"{record.machines}, threads: {threads}" if threads else record.machines


def of_seed(record: Record, asked: Quantity) -> float | None:
    """Return a seed's value; None if it lacks a part of it."""
    found = [measurement(record, *part) for part in asked.parts]
    known = [one.value for one in found if one]
    return fmean(known) if known and len(known) == len(found) else None


def measurement(record: Record, measure: str, split: str) -> Measurement | None:
    """Return what was measured at the end of a seed's training, or None."""
    measure, split = of_split(measure, split)
    split = scored_split(record, measure, split)
    return record.measured.get(Place(record.updates, split, measure))


def scored_split(record: Record, measure: str, split: str) -> str:
    """Return the split that was scored.

    If the record lacks a test set, its `test` replaces it, or else its first test set.
    """
    if measure not in SCORES or split in record.scores or split in OWN_SPLITS:
        return split
    others = sorted(set(record.scores) - set(OWN_SPLITS))
    return "test" if "test" in others or not others else others[0]


def stand_ins(record: Record, asked: Quantity) -> Iterator[str]:
    """Yield the test sets that were scored in place of those asked for."""
    for measure, split in asked.parts:
        scored = scored_split(record, measure, split)
        if scored != split and (record.updates, scored, measure) in record.measured:
            yield scored

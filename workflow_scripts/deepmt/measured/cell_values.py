"""Compute our value of one cell of a printed table from the records."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

from deepmt.measured.failures import main_failure, reasons
from deepmt.measured.records import FailureKind, Record
from deepmt.measured.results import Results
from deepmt.measured.seeds import averaged, mean_and_spread, trains
from deepmt.measured.untrained_values import UntrainedValue
from deepmt.scores.score import Score
from deepmt.settings.corpora import SAMPLE
from deepmt.study.measures import ELSEWHERE, OTHER_SPLITS, PERPLEXITIES
from deepmt.study.papers import Column, Paper, Row, Table, measure_of

Status = (
    FailureKind | Literal["measured", "recorded", "failed", "not-run", "quoted", "not-applicable"]
)
MEASURED = ("measured", "recorded")
UNMEASURED = ("failed", "not-run", "quoted", "not-applicable")
SPEEDS = ("train_tokens_per_s", "decode_sentences_per_s")
"""Measures that depend on the machine of the run."""
SETTINGS = ("params_m", "learning_rate")
"""Measures that no failure changes."""
OWN_SPLITS = (SAMPLE, "dev")
"""Splits that are never replaced by a test set."""
STAND_IN = "measured on"
"""Begins a note that names the test set in place of the column's."""


@dataclass(frozen=True, kw_only=True)
class CellValue:
    """Hold our value of a cell, or the reason for its absence."""

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


def cell_value(paper: Paper, table: Table, row: Row, column: Column, results: Results) -> CellValue:
    """Return our value of a cell, or the reason for its absence."""
    measure = measure_of(row, column)
    if row.status == "quoted":
        return CellValue(status="quoted")
    if measure == "none":
        return CellValue(status="not-applicable", notes=("a setting, not a measurement",))
    if "not applicable" in row.marks.get(column.key, ""):
        return CellValue(status="not-applicable")
    if found := results.without_training(row, column):
        return _from_file(found)
    if reason := _why_missing(row, measure, results):
        return CellValue(status="not-run", notes=(reason,))
    records = results.records_of(row)
    if not records and (refusals := results.refusals_of(row)):
        return CellValue(status="failed", notes=refusals)
    if not records:
        requested = row.id in results.selected
        note = "no record yet" if requested else "not requested"
        return CellValue(status="not-run", notes=(note,))
    if measure == "delta":
        value = _difference(paper, table, row, column, results)
    else:
        value = _over_seeds(table, row, column, records)
    return replace(value, notes=(*value.notes, *results.refusals_of(row)))


def untrained_value(row: Row, column: Column, results: Results) -> CellValue:
    """Return our value of a row that no run trains, or the target that measures it."""
    if found := results.without_training(row, column):
        return _from_file(found)
    return CellValue(status="not-run", notes=(ELSEWHERE[column.measure],))


def _from_file(found: UntrainedValue) -> CellValue:
    return CellValue(
        status="recorded" if found.recorded else "measured",
        ours=found.value,
        spread=found.spread,
        seeds=found.seeds,
        notes=(found.note,),
        origin=found.file,
        same_split=found.judged,
        full_size=found.judged,
    )


def _why_missing(row: Row, measure: str, results: Results) -> str:
    """Return why no record can provide a cell, or ""."""
    if measure == "statistic":
        return "its corpus has not been built at this scale"
    if row.id not in results.rows:
        return results.unavailable[row.id]
    return ELSEWHERE.get(measure, "")


def _over_seeds(table: Table, row: Row, column: Column, records: Sequence[Record]) -> CellValue:
    """Return mean and sample standard deviation over the seeds that train."""
    counts_all = measure_of(row, column) in SETTINGS
    used = records if counts_all else averaged(records)
    finished = any(record.outcome == "finished" for record in records)
    found = [_value(record, table, row, column) for record in used]
    values = [value for value, _ in found if value is not None]
    status: Status = "recorded" if all(record.archived for record in used) else "measured"
    if not finished and not counts_all:
        status = main_failure(records)
    elif len(values) < len(used) and (not values or any(map(trains, used))):
        missing = f"the record has no {measure_of(row, column)} for this cell"
        return CellValue(status="not-run", notes=(missing, *reasons(records)))
    other_splits = dict.fromkeys(split for _, splits in found for split in splits)
    notes = [f"{STAND_IN} {split}" for split in other_splits]
    if measure_of(row, column) in SPEEDS:
        notes += dict.fromkeys(f"on {machine_of(record)}" for record in used)
    archived = sum(record.archived for record in used)
    if 0 < archived < len(used):
        notes.append(f"{archived} of {len(used)} seeds from records/")
    if any(record.kept for record in used):
        notes.append("kept: trained by an earlier version of the code")
    ours, spread = mean_and_spread(values) if values else (None, None)
    return CellValue(
        status=status,
        ours=ours,
        spread=None if counts_all else spread,
        seeds=len(records),
        trained=None if counts_all else sum(map(trains, records)),
        notes=(*notes, *(() if counts_all else reasons(records))),
        origin="runs",
        same_split=not other_splits,
    )


def machine_of(record: Record) -> str:
    """Return the machines of a run, with the number of threads."""
    threads = record.hardware.get("threads")
    return f"{record.machines}, threads: {threads}" if threads else record.machines


def score_of(record: Record, row: Row, column: Column) -> tuple[Score | None, str]:
    """Return the score for a cell, and the split that was scored.

    If the record lacks the column's test set, its `test` replaces it, or else its first test set.
    """
    measure = measure_of(row, column)
    measure, split = OTHER_SPLITS.get(measure, (measure, column.split))
    if split not in record.scores and split not in OWN_SPLITS:
        others = sorted(set(record.scores) - set(OWN_SPLITS))
        split = "test" if "test" in others or not others else others[0]
    return record.scores.get(split, {}).get(measure), split


def values_by_seed(
    table: Table, row: Row, column: Column, records: Sequence[Record]
) -> dict[int, float | None]:
    """Return each seed's value of a cell; empty for a difference between two systems."""
    if measure_of(row, column) == "delta":
        return {}
    return {record.seed: _value(record, table, row, column)[0] for record in records}


def _value(
    record: Record, table: Table, row: Row, column: Column
) -> tuple[float | None, tuple[str, ...]]:
    """Return one seed's value, and the scored splits if they are not the column's own."""
    measure = measure_of(row, column)
    columns = [table.columns[key] for key in column.of] if measure == "mean" else []
    columns += [replace(column, split=name, splits=()) for name in column.splits]
    if columns:
        found = [_value(record, table, row, part) for part in columns]
        parts = [value for value, _ in found if value is not None]
        value = fmean(parts) if len(parts) == len(found) else None
        return value, tuple(dict.fromkeys(name for _, names in found for name in names))
    plain = {
        "params_m": record.parameters / 1e6,
        "learning_rate": record.spec["training"]["lr"] * 1e3,
        "updates": record.updates,
        "train_tokens_per_s": record.throughput.get("target_tokens_per_s"),
        "decode_sentences_per_s": record.decoding.get("sentences_per_s", {}).get(column.split),
    } | {name: record.perplexities.get(split) for name, split in PERPLEXITIES.items()}
    if measure in plain:
        return plain[measure], ()
    score, split = score_of(record, row, column)
    own = OTHER_SPLITS.get(measure, (measure, column.split))[1]
    return (None, ()) if score is None else (score.value, () if split == own else (split,))


def _difference(
    paper: Paper, table: Table, row: Row, column: Column, results: Results
) -> CellValue:
    """Return the mean of `column.of` in this row minus that in its reference row.

    The spread is sqrt(spread_1^2 + spread_2^2), since the seeds of two systems are unpaired.
    """
    if row.reference is None:
        return CellValue(status="not-applicable", notes=("no reference row",))
    mean = replace(column, measure="mean")
    plain = replace(row, measures={k: v for k, v in row.measures.items() if k != column.key})
    mine = _over_seeds(table, plain, mean, results.records_of(row))
    if mine.status not in MEASURED:
        return replace(mine, ours=None, spread=None)
    [reference] = [r for t in paper.tables for r in t.rows if r.id == row.reference]
    others = results.records_of(reference)
    theirs = _over_seeds(table, reference, mean, others) if others else CellValue(status="not-run")
    if theirs.status not in MEASURED or mine.ours is None or theirs.ours is None:
        return CellValue(status="not-run", notes=(f"its reference {reference.id} has no value",))
    if theirs.trained != theirs.seeds:
        note = f"its reference {reference.id} trains {theirs.trained} of {theirs.seeds} seeds"
        return CellValue(status="not-run", notes=(note,))
    spreads = [s for s in (mine.spread, theirs.spread) if s is not None]
    return replace(
        mine,
        ours=mine.ours - theirs.ours,
        spread=sum(s * s for s in spreads) ** 0.5 if len(spreads) == 2 else None,
        notes=(*mine.notes, f"against {reference.id}"),
        same_split=mine.same_split and theirs.same_split,
    )

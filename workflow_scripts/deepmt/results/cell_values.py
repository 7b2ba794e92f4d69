"""What our records say about one cell of a printed table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

from deepmt.config.measures import ELSEWHERE, OTHER_SETS, PERPLEXITIES, measure_of
from deepmt.config.papers import Column, Paper, Row, Table
from deepmt.metrics.spread import mean_and_spread
from deepmt.results.records import Record, RecordedScore
from deepmt.results.results import Results
from deepmt.results.untrained_values import Untrained
from deepmt.results.verdict import MEASURED

Status = Literal[
    "measured", "recorded", "diverged", "failed", "not-run", "quoted", "not-applicable"
]
SPEEDS = ("train_tokens_per_s", "decode_sentences_per_s")
"""Measures of a run that belong to the machine it ran on."""
OWN_SPLITS = ("train", "dev")
"""Splits that no test set replaces."""


@dataclass(frozen=True, kw_only=True)
class CellValue:
    """What our records say about a cell."""

    status: Status
    ours: float | None = None
    spread: float | None = None
    seeds: int = 0
    notes: tuple[str, ...] = ()
    origin: str = ""
    """`runs`, or the file of what needs no training."""
    same_split: bool = True
    full_size: bool = False
    """Counted or measured on the paper's own model, at whatever scale the rest is run."""


def cell_value(paper: Paper, table: Table, row: Row, column: Column, results: Results) -> CellValue:
    """Return our value of a cell, or why there is none."""
    measure = measure_of(row, column)
    if row.status == "quoted":
        return CellValue(status="quoted")
    if measure == "none":
        return CellValue(status="not-applicable", notes=("a setting, not a measurement",))
    if "not applicable" in row.marks.get(column.key, ""):
        return CellValue(status="not-applicable")
    if found := results.without_training(row, column):
        return _untrained(found)
    if reason := _missing(row, measure, results):
        return CellValue(status="not-run", notes=(reason,))
    records = results.records_of(row)
    if not records and (refusals := results.refusals_of(row)):
        return CellValue(status="failed", notes=refusals)
    if not records:
        asked = row.id in results.selected
        return CellValue(status="not-run", notes=("no record yet" if asked else "not asked for",))
    if measure == "delta":
        return _difference(paper, table, row, column, results)
    return _over_seeds(table, row, column, records)


def _untrained(found: Untrained) -> CellValue:
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


def _missing(row: Row, measure: str, results: Results) -> str:
    """Return why no record could answer a cell."""
    if measure == "statistic":
        return "its corpus has not been built at this scale"
    if row.id not in results.rows:
        return results.unavailable[row.id]
    return ELSEWHERE.get(measure, "")


def _over_seeds(table: Table, row: Row, column: Column, records: Sequence[Record]) -> CellValue:
    """Return mean and sample standard deviation over the seeds that finished, if any did."""
    finished = [record for record in records if record.outcome == "finished"]
    # A model that diverged has as many parameters as one that did not.
    any_will_do = measure_of(row, column) == "params_m"
    used = records if any_will_do else finished or records
    found = [_value(record, table, row, column) for record in used]
    values = [value for value, _ in found if value is not None]
    status: Status = "recorded" if all(record.archived for record in used) else "measured"
    if not finished and not any_will_do:
        status = "diverged"
    elif len(values) < len(used):
        missing = f"the record has no {measure_of(row, column)} for this cell"
        return CellValue(status="not-run", notes=(missing, *reasons(records)))
    elsewhere = dict.fromkeys(split for _, splits in found for split in splits)
    notes = [f"measured on {split}" for split in elsewhere]
    if measure_of(row, column) in SPEEDS:
        notes += dict.fromkeys(f"on {machine_of(record)}" for record in used)
    archived = sum(record.archived for record in used)
    if 0 < archived < len(used):
        notes.append(f"{archived} of {len(used)} seeds from records/")
    if any(record.kept for record in used):
        notes.append("kept: trained by other code than today's")
    ours, spread = mean_and_spread(values) if values else (None, None)
    return CellValue(
        status=status,
        ours=ours,
        spread=None if any_will_do else spread,
        seeds=len(used),
        notes=(*notes, *(() if any_will_do else reasons(records))),
        origin="runs",
        same_split=not elsewhere,
    )


def divergence(records: Sequence[Record]) -> str:
    """Say which seeds diverged and when, e.g. "1 of 2 seeds diverged at update 90"; else ""."""
    ends = [record.diverged for record in records if record.diverged is not None]
    if not ends:
        return ""
    share = f"{len(ends)} of {len(records)} seeds " if len(records) > 1 else ""
    updates = sorted({end.update for end in ends})
    many = "s" if len(updates) > 1 else ""
    return f"{share}diverged at update{many} {', '.join(map(str, updates))}"


def reasons(records: Sequence[Record]) -> tuple[str, ...]:
    """Return the note about seeds that diverged, with the reasons."""
    ends = dict.fromkeys(record.diverged.reason for record in records if record.diverged)
    return (f"{divergence(records)}: {', '.join(ends)}",) if ends else ()


def machine_of(record: Record) -> str:
    """Say what a run ran on."""
    threads = record.hardware.get("threads")
    return f"{record.machines}, threads: {threads}" if threads else record.machines


def score_of(record: Record, row: Row, column: Column) -> tuple[RecordedScore | None, str]:
    """Return the score that answers a cell and the split it was taken on.

    Where the record lacks the column's test set, its `test` replaces it, or else its first one.
    """
    measure = measure_of(row, column)
    measure, wanted = OTHER_SETS.get(measure, (measure, column.set))
    if wanted not in record.scores and wanted not in OWN_SPLITS:
        others = sorted(set(record.scores) - set(OWN_SPLITS))
        wanted = "test" if "test" in others or not others else others[0]
    return record.scores.get(wanted, {}).get(measure), wanted


def values_by_seed(
    table: Table, row: Row, column: Column, records: Sequence[Record]
) -> dict[int, float | None]:
    """Return each seed's value of a cell, but nothing of a difference of two systems."""
    if measure_of(row, column) == "delta":
        return {}
    return {record.seed: _value(record, table, row, column)[0] for record in records}


def _value(
    record: Record, table: Table, row: Row, column: Column
) -> tuple[float | None, tuple[str, ...]]:
    """Return one seed's value, and the splits it was taken on if they are not the column's own."""
    measure = measure_of(row, column)
    columns = [table.columns[key] for key in column.of] if measure == "mean" else []
    columns += [replace(column, set=name, sets=()) for name in column.sets]
    if columns:
        found = [_value(record, table, row, part) for part in columns]
        parts = [value for value, _ in found if value is not None]
        value = fmean(parts) if len(parts) == len(found) else None
        return value, tuple(dict.fromkeys(name for _, names in found for name in names))
    plain = {
        "params_m": record.parameters / 1e6,
        "updates": record.updates,
        "train_tokens_per_s": record.throughput.get("target_tokens_per_s"),
        "decode_sentences_per_s": record.decoding.get("sentences_per_s", {}).get(column.set),
    } | {name: record.perplexities.get(split) for name, split in PERPLEXITIES.items()}
    if measure in plain:
        return plain[measure], ()
    score, split = score_of(record, row, column)
    own = OTHER_SETS.get(measure, (measure, column.set))[1]
    return (None, ()) if score is None else (score.value, () if split == own else (split,))


def _difference(
    paper: Paper, table: Table, row: Row, column: Column, results: Results
) -> CellValue:
    """Return the mean of `column.of` in this row less that in the row's reference.

    The spread is the root of the sum of both squared spreads: seeds of two systems are unpaired.
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
    spreads = [s for s in (mine.spread, theirs.spread) if s is not None]
    return replace(
        mine,
        ours=mine.ours - theirs.ours,
        spread=sum(s * s for s in spreads) ** 0.5 if len(spreads) == 2 else None,
        notes=(*mine.notes, f"against {reference.id}"),
        same_split=mine.same_split and theirs.same_split,
    )

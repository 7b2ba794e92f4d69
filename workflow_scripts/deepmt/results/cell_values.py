"""What our records say about one cell of a printed table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal

from deepmt.config.measures import ELSEWHERE, OTHER_SETS, PERPLEXITIES, measure_of
from deepmt.config.papers import Column, Paper, Row, Table
from deepmt.config.spec import Spec
from deepmt.metrics.spread import mean_and_spread
from deepmt.results.comparisons import Pair
from deepmt.results.records import Entry, Record, RecordedScore, Records
from deepmt.results.sources import Source
from deepmt.results.untrained_values import Untrained
from deepmt.results.verdict import FULL_SCALE, MEASURED

Status = Literal[
    "measured", "recorded", "diverged", "failed", "not-run", "quoted", "not-applicable"
]
SPEEDS = ("train_tokens_per_s", "decode_sentences_per_s")
"""Measures of a run that belong to the machine it ran on."""
OWN_SETS = ("train", "dev")
"""Sets that no test set may stand for."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What our records say about a cell."""

    status: Status
    ours: float | None = None
    spread: float | None = None
    seeds: int = 0
    notes: tuple[str, ...] = ()
    same_set: bool = True
    full_size: bool = False
    """Counted or measured on the paper's own model, at whatever scale the rest is run."""


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """All that is known about the rows at one scale."""

    scale: str
    specs: Mapping[str, Spec]
    """By row; rows without one are in `unavailable`, with the reason."""
    unavailable: Mapping[str, str]
    selected: Collection[str]
    """Rows that were asked for."""
    records: Records
    untrained: Mapping[tuple[str, str], Untrained] = field(default_factory=dict)
    """Values that need no training, by row and column or measure."""
    partial_corpora: Collection[str] = ()
    """Corpora that hold less than the papers' own."""
    sources: Mapping[str, Source] = field(default_factory=dict)
    """Terms of the corpora by key."""
    significance: Mapping[str, Sequence[Pair]] = field(default_factory=dict)
    """Which rows of a table differ by more than chance, where that was tested."""

    def entries(self, row: Row) -> tuple[Entry, ...]:
        """Records of the row's run."""
        return self.records.of(self.specs[row.id].run) if row.id in self.specs else ()

    def refusals(self, row: Row) -> tuple[str, ...]:
        """Why records of the row's run were refused."""
        found = self.records.refused(self.specs[row.id].run) if row.id in self.specs else ()
        return tuple(f"record refused: {message}" for message in found)

    def without_training(self, row: Row, column: Column) -> Untrained | None:
        """What answers a cell in place of records, if anything does."""
        keys = [(row.id, column.key), (row.id, measure_of(row, column))]
        return next((self.untrained[key] for key in keys if key in self.untrained), None)

    def comparable(self, row: Row) -> bool:
        """Whether the row's runs are what the paper ran."""
        spec = self.specs.get(row.id)
        whole = spec is not None and spec.data.corpus not in self.partial_corpora
        return whole and self.scale == FULL_SCALE


def answer(paper: Paper, table: Table, row: Row, column: Column, ledger: Ledger) -> Answer:
    """Our value of a cell, or why there is none."""
    measure = measure_of(row, column)
    if row.status == "quoted":
        return Answer(status="quoted")
    if measure == "none":
        return Answer(status="not-applicable", notes=("a setting, not a measurement",))
    if "not applicable" in row.marks.get(column.key, ""):
        return Answer(status="not-applicable")
    if found := ledger.without_training(row, column):
        return _untrained(found)
    if measure == "statistic":
        return Answer(status="not-run", notes=("its corpus has not been built at this scale",))
    if row.id not in ledger.specs:
        return Answer(status="not-run", notes=(ledger.unavailable[row.id],))
    if measure in ELSEWHERE:
        return Answer(status="not-run", notes=(ELSEWHERE[measure],))
    if not ledger.entries(row):
        return _without_record(row, ledger)
    if measure == "delta":
        return _difference(paper, table, row, column, ledger)
    return _over_seeds(table, row, column, ledger.entries(row))


def _untrained(found: Untrained) -> Answer:
    return Answer(
        status="recorded" if found.recorded else "measured",
        ours=found.value,
        spread=found.spread,
        seeds=found.seeds,
        notes=(found.note,),
        same_set=found.judged,
        full_size=found.judged,
    )


def divergence(entries: Sequence[Entry]) -> str:
    """Which seeds diverged and when, e.g. "1 of 2 seeds diverged at update 90"; else ""."""
    ends = [e.record.diverged for e in entries if e.record.diverged is not None]
    if not ends:
        return ""
    share = f"{len(ends)} of {len(entries)} seeds " if len(entries) > 1 else ""
    updates = sorted({end.update for end in ends})
    many = "s" if len(updates) > 1 else ""
    return f"{share}diverged at update{many} {', '.join(map(str, updates))}"


def score_of(record: Record, row: Row, column: Column) -> tuple[RecordedScore | None, str]:
    """The score that answers a cell and the set it was taken on.

    Where the record lacks the column's test set, its `test` stands in, or else its first one.
    """
    measure = measure_of(row, column)
    measure, wanted = OTHER_SETS.get(measure, (measure, column.set))
    if wanted not in record.scores and wanted not in OWN_SETS:
        others = sorted(set(record.scores) - set(OWN_SETS))
        wanted = "test" if "test" in others or not others else others[0]
    if wanted not in record.scores or measure not in record.scores[wanted]:
        return None, wanted
    return record.scores[wanted][measure], wanted


def _without_record(row: Row, ledger: Ledger) -> Answer:
    refusals = ledger.refusals(row)
    if refusals:
        return Answer(status="failed", notes=refusals)
    asked = row.id in ledger.selected
    return Answer(status="not-run", notes=("no record yet" if asked else "not asked for",))


def _over_seeds(table: Table, row: Row, column: Column, entries: Sequence[Entry]) -> Answer:
    """Mean and sample standard deviation over the seeds that finished, if any did."""
    finished = [entry for entry in entries if entry.record.outcome == "finished"]
    # A model that diverged has as many parameters as one that did not.
    any_will_do = measure_of(row, column) == "params_m"
    used = entries if any_will_do else finished or entries
    found = [_value(entry.record, table, row, column) for entry in used]
    values = [value for value, _ in found if value is not None]
    status: Status = "recorded" if all(entry.recorded for entry in used) else "measured"
    if not finished and not any_will_do:
        status = "diverged"
    elif len(values) < len(used):
        missing = f"the record has no {measure_of(row, column)} for this cell"
        return Answer(status="not-run", notes=(missing, *reasons(entries)))
    elsewhere = dict.fromkeys(taken for _, sets in found for taken in sets)
    notes = [f"measured on {taken}" for taken in elsewhere]
    if measure_of(row, column) in SPEEDS:
        notes += dict.fromkeys(f"on {machine_of(entry.record)}" for entry in used)
    from_shelf = sum(entry.recorded for entry in used)
    if 0 < from_shelf < len(used):
        notes.append(f"{from_shelf} of {len(used)} seeds from records/")
    ours, spread = mean_and_spread(values) if values else (None, None)
    return Answer(
        status=status,
        ours=ours,
        spread=None if any_will_do else spread,
        seeds=len(used),
        notes=(*notes, *(() if any_will_do else reasons(entries))),
        same_set=not elsewhere,
    )


def reasons(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The note about seeds that diverged, with the reasons."""
    ends = [e.record.diverged for e in entries if e.record.diverged is not None]
    reasons = dict.fromkeys(end.reason for end in ends)
    return (f"{divergence(entries)}: {', '.join(reasons)}",) if ends else ()


def machine_of(record: Record) -> str:
    """What a run ran on, in words."""
    threads = record.hardware.get("threads")
    return f"{record.machines}, threads: {threads}" if threads else record.machines


def values_by_seed(
    table: Table, row: Row, column: Column, entries: Sequence[Entry]
) -> dict[int, float | None]:
    """Each seed's value of a cell that records answer; none for a difference of two systems."""
    if measure_of(row, column) == "delta":
        return {}
    return {e.record.seed: _value(e.record, table, row, column)[0] for e in entries}


def _value(
    record: Record, table: Table, row: Row, column: Column
) -> tuple[float | None, tuple[str, ...]]:
    """One seed's value, and the sets it was taken on where they are not the column's own."""
    measure = measure_of(row, column)
    columns = [table.columns[key] for key in column.of] if measure == "mean" else []
    columns += [replace(column, set=name, sets=()) for name in column.sets]
    if columns:
        found = [_value(record, table, row, part) for part in columns]
        parts = [value for value, _ in found if value is not None]
        value = fmean(parts) if len(parts) == len(found) else None
        return value, tuple(dict.fromkeys(name for _, names in found for name in names))
    if measure == "params_m":
        return record.parameters / 1e6, ()
    if measure == "updates":
        return record.updates, ()
    if measure == "train_tokens_per_s":
        return record.throughput.get("target_tokens_per_s"), ()
    if measure == "decode_sentences_per_s":
        return record.decoding.get("sentences_per_s", {}).get(column.set), ()
    if measure in PERPLEXITIES:
        return record.perplexities.get(PERPLEXITIES[measure]), ()
    score, taken = score_of(record, row, column)
    own = OTHER_SETS.get(measure, (measure, column.set))[1]
    return (None, ()) if score is None else (score.value, () if taken == own else (taken,))


def _difference(paper: Paper, table: Table, row: Row, column: Column, ledger: Ledger) -> Answer:
    """Mean of `column.of` in this row less that in the row's reference.

    The spread is the root of the sum of both squared spreads: seeds of two systems are unpaired.
    """
    if row.reference is None:
        return Answer(status="not-applicable", notes=("no reference row",))
    mean = replace(column, measure="mean")
    plain = replace(row, measures={k: v for k, v in row.measures.items() if k != column.key})
    mine = _over_seeds(table, plain, mean, ledger.entries(row))
    [reference] = [r for t in paper.tables for r in t.rows if r.id == row.reference]
    others = ledger.entries(reference)
    if mine.status not in MEASURED:
        return replace(mine, ours=None, spread=None)
    theirs = _over_seeds(table, reference, mean, others) if others else Answer(status="not-run")
    if theirs.status not in MEASURED or mine.ours is None or theirs.ours is None:
        return Answer(status="not-run", notes=(f"its reference {reference.id} has no value",))
    spreads = [s for s in (mine.spread, theirs.spread) if s is not None]
    return replace(
        mine,
        ours=mine.ours - theirs.ours,
        spread=sum(s * s for s in spreads) ** 0.5 if len(spreads) == 2 else None,
        notes=(*mine.notes, f"against {reference.id}"),
        same_set=mine.same_set and theirs.same_set,
    )

"""Render each printed table with our values as text, for all formats."""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from deepmt.judge.cells import Cell
from deepmt.judge.significance import RowComparison
from deepmt.measured.corpus_terms import describe_synthetic
from deepmt.measured.failures import failures, reasons
from deepmt.measured.record_file import FAILURES
from deepmt.measured.records import Record
from deepmt.measured.seeds import low_scores
from deepmt.measured.system_value import (
    MEASURED,
    SPEEDS,
    Status,
    machine_of,
    measurement,
    scored_split,
)
from deepmt.measured.table import Measured
from deepmt.report.significance_marks import daggers, describe_marks, matrix_cells
from deepmt.study.measures import of_split
from deepmt.study.papers import Column, Paper, Row, Table, measure_of, quantity_of

LARGE = 1e15
NO_VERDICT = "not comparable"
NOT_RUN_YET = "not run yet"
"""The group of rows of our own tables that have no record at this scale."""
MARK = re.compile(r"(?P<printed>.*?)\s*(?:\((?P<meaning>.*)\))?", re.DOTALL)
State = Status | Literal["untrained"]
"""State of a row; untrained if only sizes, probes, speeds or statistics were measured."""
STATUS_TEXT: dict[State, str] = {
    **{outcome: outcome for outcome in FAILURES},
    "measured": "measured",
    "recorded": "recorded",
    "refused": "record refused",
    "untrained": "not trained",
    "not-run": "not run",
    "quoted": "quoted",
    "not-applicable": "",
}
"""In order of precedence: a row has the first state that one of its cells has."""


@dataclass(frozen=True, kw_only=True)
class RenderedTable:
    """Hold a table as text, the same in every format."""

    table: Table
    """As printed."""
    label: str
    """The line above it: scale, corpus, and if the numbers are comparable with the paper's."""
    frame: pd.DataFrame
    """Columns group (if any), system, status, verdict, <key>.paper, <key>.ours, <key>.difference.

    Its index are the ids of rows. The keys of a significance matrix, against.<row>, are not columns
    of the printed table.
    """
    states: Mapping[str, State]
    """By row id."""
    cells: Mapping[tuple[str, str], Cell]
    """Cells by row id and column key, unrounded."""
    notes: tuple[str, ...]

    def cells_of(self, row: str) -> list[Cell]:
        """Return the cells of a row."""
        return [cell for (name, _), cell in self.cells.items() if name == row]

    def part(self, rows: Iterable[str]) -> "RenderedTable":
        """Return the table with only these rows."""
        return replace(self, frame=self.frame.loc[list(rows)])

    def lean(self) -> "RenderedTable":
        """Return the table without a status that all rows share, and verdicts that none has."""
        frame, label = self.frame, self.label
        if set(frame["verdict"]) <= {"", NO_VERDICT}:
            frame = frame.drop(columns="verdict")
        if len(found := set(frame["status"]) - {""}) == 1 and len(frame) > 1:
            frame, [status] = frame.drop(columns="status"), found
            label += "" if status == STATUS_TEXT["untrained"] else f" All rows: {status}."
        return replace(self, frame=frame, label=label)


def format_value(value: float, decimals: int) -> str:
    """Return a number as shown in all tables, without the sign of a negative zero.

    Two digits are shown of a perplexity that has up to 305, that of a very bad model.
    """
    return f"{round(value, decimals) + 0.0:.{decimals}f}" if abs(value) < LARGE else f"{value:.1e}"


def decimals_of_ours(value: float, decimals: int) -> int:
    """Return the column's decimals, or up to two if ours would have fewer than two digits.

    For example, 0.31 million parameters are not rounded to 0.
    """
    known = value and math.isfinite(value)
    return max(decimals, min(2, 1 - math.floor(math.log10(abs(value))))) if known else decimals


def format_ours(cell: Cell, decimals: int) -> str:
    """Return our value with its spread, or a dash if it could have been measured."""
    if cell.ours is None:
        return "–" if cell.status in ("not-run", "refused", *FAILURES) else ""
    decimals = decimals_of_ours(cell.ours, decimals)
    value = format_value(cell.ours, decimals)
    # All seeds have one number of updates.
    return f"{value} ± {format_value(cell.spread, decimals)}" if cell.spread else value


def format_difference(cell: Cell, decimals: int) -> str:
    """Return ours minus the published value, or "" if they are not comparable."""
    if cell.ours is None or cell.published is None or cell.verdict == "not-comparable":
        return ""
    shown = decimals_of_ours(cell.ours, decimals)
    return f"{cell.ours - cell.published:+z.{shown}f}"


def format_published(cell: Cell, row: Row, decimals: int, suffix: str = "") -> str:
    """Return the published value with a short mark, or the text printed instead: "159K"."""
    printed, _ = split_mark(row.marks.get(cell.column, ""))
    if cell.published is None or len(printed) > 2:
        return printed
    return f"{format_value(cell.published, decimals)}{suffix} {printed}".rstrip()


def split_mark(mark: str) -> tuple[str, str]:
    """Split a mark into symbol and meaning: "† (estimate)" is ("†", "estimate")."""
    found = MARK.fullmatch(mark)
    assert found is not None
    return found["printed"], found["meaning"] or ""


def render_tables(
    paper: Paper,
    cells: Sequence[Cell],
    results: Measured,
    tested: Mapping[str, Sequence[RowComparison]],
) -> list[RenderedTable]:
    """Return all tables of a paper; `tested` holds significance tests by table."""
    return [
        _render(table, [c for c in cells if c.table == table.id], results, tested.get(table.id, ()))
        for table in paper.tables
    ]


def _render(
    table: Table, cells: Sequence[Cell], results: Measured, tested: Sequence[RowComparison]
) -> RenderedTable:
    """Return one table; values of ours that no row has, or of other text, are left out."""
    printed = {c.column for c in cells if c.published is not None}
    shown = [key for key in table.columns if key in printed or not _speed(table.columns[key])]
    measured = {c.column for c in cells if c.ours is not None and c.column in shown}
    other = set(of_other_text(table, [c for c in cells if c.column in measured]))
    measured -= other
    compared = {c.column for c in cells if format_difference(c, 0)}
    by_row = {row.id: {c.column: c for c in cells if c.row == row.id} for row in table.rows}
    run = [row for row in table.rows if any(c.origin == "runs" for c in by_row[row.id].values())]
    states = {r.id: state_of(by_row[r.id].values(), trained=r in run) for r in table.rows}
    filled = [column for key, column in table.columns.items() if key in measured]
    corpora = list(dict.fromkeys(_corpora(run, table, filled, results)))
    lines = []
    for row in table.rows:
        own = [cell for cell in by_row[row.id].values() if cell.column not in other]
        records = results.records_of(row.id) if row in run else None
        line = {"group": row.group, "system": row.label}
        line["status"] = describe_status(states[row.id], own, records)
        line["verdict"] = describe_verdict(own, table)
        for key, column in table.columns.items():
            cell = by_row[row.id].get(key)
            decimals = row.decimals.get(key, column.decimals)
            after_printed, after_ours = daggers(row, column, table, tested)
            if key in printed:
                text = format_published(cell, row, decimals, column.suffix) if cell else ""
                line[f"{key}.paper"] = text + after_printed
            if key in measured:
                line[f"{key}.ours"] = (format_ours(cell, decimals) if cell else "") + after_ours
            if key in compared:
                line[f"{key}.difference"] = format_difference(cell, decimals) if cell else ""
        line |= matrix_cells(row, table, tested)
        lines.append(line)
    frame = pd.DataFrame(lines, index=list(by_row), dtype=str)
    if not printed:
        frame = proven_first(frame, [row for row, state in states.items() if state == "not-run"])
    return RenderedTable(
        table=table,
        label=describe_scale(run, corpora, results, untrained=bool(measured), paper=bool(printed)),
        frame=frame if any(frame["group"]) else frame.drop(columns="group"),
        states=states,
        cells={(cell.row, cell.column): cell for cell in cells},
        notes=tuple(dict.fromkeys(describe_notes(table, run, corpora, results, tested))),
    )


def proven_first(frame: pd.DataFrame, not_run: Collection[str]) -> pd.DataFrame:
    """Return a table of ours in which rows that were never run stand last, in a group."""
    if len(not_run) in (0, len(frame)):
        return frame
    apart = frame.loc[list(not_run)]
    apart = apart.assign(
        group=NOT_RUN_YET,
        system=[f"{one.group}: {one.system}".removeprefix(": ") for one in apart.itertuples()],
    )
    return pd.concat([frame.drop(index=apart.index), apart])


def of_other_text(table: Table, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the columns of which ours tells nothing, since it is of another text than printed.

    These are statistics of other corpora, and scores of a test set that another column has.
    """
    ours = [cell for cell in cells if cell.ours is not None]
    own = {cell.column for cell in ours if not cell.stand_in}
    for key in {cell.column for cell in ours}:
        column = table.columns[key]
        if column.measure == "statistic":
            apart = not any(cell.compared for cell in ours if cell.column == key)
        else:
            apart = key not in own and any(table.columns[o].unit == column.unit for o in own)
        if apart:
            yield key


def _speed(column: Column) -> bool:
    """Check if it is a speed of the machine that trained, which other programs may have shared."""
    return column.measure in SPEEDS


def _corpora(
    run: Sequence[Row], table: Table, columns: Sequence[Column], results: Measured
) -> Iterator[str]:
    """Yield the keys of the corpora behind a table's numbers."""
    for row in table.rows:
        if row in run:
            yield results.specs[row.id].data.corpus
        for column in columns:
            found = results.untrained_value(row.id, quantity_of(table, column, row))
            if found and found.corpus:
                yield found.corpus


def state_of(cells: Collection[Cell], *, trained: bool) -> State:
    """Return the state of a row; `trained` means that some of its cells come from a run."""
    found: set[State] = {cell.status for cell in cells}
    if not trained and found & set(MEASURED):
        found = found - set(MEASURED) | {"untrained"}
    return next(state for state in STATUS_TEXT if state in found)


def describe_status(state: State, cells: Collection[Cell], records: Sequence[Record] | None) -> str:
    """Return the status of a row: its seeds, which of them failed and when.

    `records` is None for a row without a training run.
    """
    if records is not None and state in (*FAILURES, *MEASURED):
        lost = " and ".join(filter(None, (failures(records), low_scores(records))))
        if state in FAILURES:
            return lost
        return f"{STATUS_TEXT[state]}, {lost or count_seeds(len(records))}"
    if state != "untrained" or any(cell.status in ("not-run", "refused") for cell in cells):
        return STATUS_TEXT[state]
    found = next((cell.status for cell in cells if cell.status in MEASURED), state)
    seeds = max((cell.seeds for cell in cells if cell.origin != "speed.csv"), default=0)
    return f"{STATUS_TEXT[found]}, {count_seeds(seeds)}" if seeds else STATUS_TEXT[found]


def count_seeds(number: int) -> str:
    """Return a number of seeds in words."""
    return "1 seed" if number == 1 else f"{number} seeds"


def describe_verdict(cells: Collection[Cell], table: Table) -> str:
    """Return the verdicts of a row, with column names unless all columns have the same."""
    judged: dict[str, list[str]] = {}
    for cell in cells:
        if cell.verdict != "not-comparable":
            judged.setdefault(cell.verdict.replace("-", " "), []).append(
                table.columns[cell.column].label
            )
    if not judged:
        return NO_VERDICT if any(cell.ours is not None for cell in cells) else ""
    printed = sum(cell.status != "not-applicable" for cell in cells)
    if len(judged) == 1 and printed == sum(map(len, judged.values())):
        return next(iter(judged))
    return "; ".join(f"{', '.join(labels)} {verdict}" for verdict, labels in judged.items())


def describe_scale(
    run: Sequence[Row], corpora: Sequence[str], results: Measured, *, untrained: bool, paper: bool
) -> str:
    """Return the line above a table.

    `untrained` means that it has untrained measurements, `paper` that a paper's numbers are in it.
    """
    notes = [record.data.note for row in run for record in results.records_of(row.id)]
    notes = notes or [results.corpora[key].note for key in corpora]
    if not notes:
        state = "trained; the numbers are of untrained models" if untrained else "run"
        return f"{results.scale_title}: nothing of this table has been {state}."
    return results.label(notes, paper=paper)


def describe_notes(
    table: Table,
    run: Sequence[Row],
    corpora: Sequence[str],
    results: Measured,
    tested: Sequence[RowComparison],
) -> Iterator[str]:
    """Yield the notes below a table: marks, remarks, failures, measurements and corpora."""
    if table.note:
        yield table.note
    marks = [split_mark(mark) for row in table.rows for mark in row.marks.values()]
    yield from (f"{printed}: {meaning}" for printed, meaning in marks if printed and meaning)
    yield from describe_marks(table, tested)
    for row in table.rows:
        failures = results.refusals_of(row.id)
        failures += reasons(results.records_of(row.id)) if row in run else ()
        yield from (f"{row.label}: {text}" for text in (row.remark, *failures) if text)
        for column in table.columns.values():
            value = results.untrained_value(row.id, quantity_of(table, column, row))
            if value and measure_of(row, column) == "probe":
                yield f"Here: {value.note}."
    for row in run:
        for record in results.records_of(row.id):
            yield from _measurement(record, row, table)
    for key in corpora:
        yield from results.corpora[key].texts
    for row in run:
        for record in results.records_of(row.id):
            if synthetic := record.data.synthetic:
                yield describe_synthetic(results.specs[row.id].data.corpus, synthetic)


def _measurement(record: Record, row: Row, table: Table) -> Iterator[str]:
    """Yield signatures, machines and decoding settings of the scores of a record."""
    for column in table.columns.values():
        measure, split = of_split(measure_of(row, column), column.split)
        score, split = (
            measurement(record, measure, split),
            scored_split(record, measure, split),
        )
        if score and score.signature:
            other_split = "" if split == column.split else f" (on {split})"
            yield f"{column.label}, here{other_split}: {score.signature}"
    if any(measure_of(row, column) in SPEEDS for column in table.columns.values()):
        yield f"Speeds, here: by our own search, on {machine_of(record)}"
    settings: dict[str, object] = dict(record.decoding)
    penalty = f"{settings['length_penalty']} length penalty {settings['alpha']}"
    yield f"Decoding: beam {settings['beam']}, {penalty}"
    longest = record.spec["training"]["max_length"]
    for split, count in record.decoding.get("cut", {}).items():
        yield f"Decoding: {count:,} lines of {split} were cut to {longest} subwords"

"""List every cell that a paper prints: its value, ours, and the verdict."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from deepmt.judge.interval import Error, Judged, half_width
from deepmt.judge.printed import Verdict, against_printed_seed, judge
from deepmt.judge.run_outcome import RunOutcome, run_outcome
from deepmt.judge.standard_error import Pooled, Sample, pool, standard_error
from deepmt.measured.system_value import STAND_IN, Status, SystemValue, difference, system_value
from deepmt.measured.table import Measured
from deepmt.study.measures import Quantity
from deepmt.study.papers import Column, Paper, Row, Table, printed_columns, quantity_of


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Represent a line of cells.csv."""

    paper: str
    table: str
    row: str
    column: str
    published: float | None
    ours: float | None
    spread: float | None
    seeds: int
    """Seeds of the run, or rounds of a timing."""
    unit: str
    status: Status
    verdict: Verdict
    scale: str
    run: str
    note: str
    origin: str = ""
    """`runs`, or the file of values that need no training; empty without a value."""
    trained: int | None = None
    """Seeds that train; `ours` is their mean. None if nothing was trained for the value."""

    @property
    def compared(self) -> bool:
        """Check if there are two values that may be compared."""
        return self.verdict != "not-comparable"

    @property
    def stand_in(self) -> bool:
        """Check if another test set than the column's was scored, since the corpus lacks that."""
        return any(note.startswith(STAND_IN) for note in self.note.split("; "))

    @property
    def sample(self) -> Sample:
        """Return the seeds or rounds behind our value; there must be one."""
        assert self.ours is not None
        unit = self.unit.removesuffix(" [%]")
        if self.trained is None:
            return Sample(unit, self.row, self.ours, self.spread, self.seeds)
        return Sample(unit, self.run, self.ours, self.spread, self.trained)

    def error(self, pooled: Pooled) -> Error:
        """Return the standard error of our value; there must be one."""
        return standard_error(self.sample, pooled)


def all_cells(papers: Sequence[Paper], results: Measured) -> list[Cell]:
    """Return every printed cell of the papers in order, including those not run."""
    printed = [
        (paper, table, row, table.columns[key])
        for paper in papers
        for table in paper.tables
        for row in table.rows
        for key in printed_columns(table, row)
    ]
    values = [printed_value(*place[1:], results) for place in printed]
    cells = [_cell(*place, value, results) for place, value in zip(printed, values, strict=True)]
    pooled = pool_cells(cells)
    outcomes = run_outcomes(results, pooled)
    return [
        replace(
            one,
            verdict=judge(
                row=row,
                column=column,
                status=one.status,
                ours=one.ours,
                noise=_noise(one, column, pooled),
                outcome=None if one.trained is None else outcomes.get(one.run),
                spread=one.spread,
                seeds=one.trained or 0,
                comparable=value.full_size or (results.comparable(row.id) and value.same_split),
            ),
        )
        for one, value, (_, _, row, column) in zip(cells, values, printed, strict=True)
    ]


def against_print(papers: Sequence[Paper], cells: Sequence[Cell]) -> list[tuple[str, Cell, Judged]]:
    """Return the system, cell and judgement of each printed value of one seed that was run."""
    found = {(cell.table, cell.row, cell.column): cell for cell in cells if cell.compared}
    return [
        (row.label, own, against_printed_seed(own.published, own.ours, own.spread, own.trained))
        for paper in papers
        for table in paper.tables
        for row in table.rows
        for column in table.columns.values()
        if column.seeds == 1 and (own := found.get((table.id, row.id, column.key)))
        if own.published is not None and own.ours is not None and own.trained
    ]


def _noise(cell: Cell, column: Column, pooled: Pooled) -> float:
    """Return half of the 95 % interval of our value."""
    if cell.ours is None:
        return 0.0
    error = cell.error(pooled)
    # The spread of a difference holds those of both systems; the pooled one is that of one.
    return half_width([error] * (2 if column.measure == "delta" and error.spread else 1))


def printed_value(table: Table, row: Row, column: Column, results: Measured) -> SystemValue:
    """Return our value of a printed cell, or the reason for its absence."""
    asked = quantity_of(table, column, row)
    if row.status == "quoted":
        return SystemValue(status="quoted")
    if asked.measure == "none":
        return SystemValue(status="not-applicable", notes=("a setting, not a measurement",))
    if "not applicable" in row.marks.get(column.key, ""):
        return SystemValue(status="not-applicable")
    if asked.measure == "delta" and not results.why_not(row.id, asked.measure):
        return difference(row.id, row.reference, asked, results)
    return system_value(row.id, asked, results)


def _cell(
    paper: Paper, table: Table, row: Row, column: Column, found: SystemValue, results: Measured
) -> Cell:
    """Return one cell, not yet judged."""
    mark = row.marks.get(column.key, "")
    notes = (f"paper: {mark}", *found.notes) if mark else found.notes
    plain = cell_of(paper.key, row.id, quantity_of(table, column, row), found, results)
    printed = row.values.get(column.key)
    return replace(plain, table=table.id, published=printed, note="; ".join(dict.fromkeys(notes)))


def cell_of(paper: str, row: str, asked: Quantity, found: SystemValue, results: Measured) -> Cell:
    """Return a value of a system as a cell that no paper prints."""
    return Cell(
        paper=paper,
        table="",
        row=row,
        column=asked.key,
        published=None,
        ours=found.ours,
        spread=found.spread,
        seeds=found.seeds,
        unit=asked.unit,
        status=found.status,
        verdict="not-comparable",
        scale=results.scale,
        run=results.rows.get(row, ""),
        note="; ".join(dict.fromkeys(found.notes)),
        origin=found.origin,
        trained=found.trained,
    )


def pool_cells(cells: Iterable[Cell]) -> Pooled:
    """Pool the spreads of a scale, by unit."""
    return pool(cell.sample for cell in cells if cell.ours is not None and cell.trained != 0)


def run_outcomes(results: Measured, pooled: Pooled) -> dict[str, RunOutcome]:
    """Return if each run of a scale trained."""
    return {run: run_outcome(records, pooled) for run, records in results.by_run.items()}

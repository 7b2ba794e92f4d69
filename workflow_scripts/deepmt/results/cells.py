"""List every cell that a paper prints: its value, ours, and the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

from deepmt.config.papers import Column, Paper, Row, Table, printed_columns
from deepmt.results.cell_values import Status, cell_value
from deepmt.results.results import Results
from deepmt.results.verdict import Verdict, judge


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
    unit: str
    status: Status
    verdict: Verdict
    scale: str
    run: str
    note: str
    origin: str = ""
    """`runs`, or the file of values that need no training; empty without a value."""


def all_cells(papers: Sequence[Paper], results: Results) -> list[Cell]:
    """Return every printed cell of the papers in order, including those not run."""
    return [
        cell(paper, table, row, table.columns[key], results)
        for paper in papers
        for table in paper.tables
        for row in table.rows
        for key in printed_columns(table, row)
    ]


def cell(paper: Paper, table: Table, row: Row, column: Column, results: Results) -> Cell:
    """Return one cell with its verdict."""
    found = cell_value(paper, table, row, column, results)
    mark = row.marks.get(column.key, "")
    notes = ([f"paper: {mark}"] if mark else []) + list(found.notes)
    return Cell(
        paper=paper.key,
        table=table.id,
        row=row.id,
        column=column.key,
        published=row.values.get(column.key),
        ours=found.ours,
        spread=found.spread,
        seeds=found.seeds,
        unit=column.unit,
        status=found.status,
        verdict=judge(
            row=row,
            column=column,
            status=found.status,
            ours=found.ours,
            spread=found.spread,
            comparable=found.full_size or (results.comparable(row) and found.same_split),
        ),
        scale=results.scale,
        run=results.rows.get(row.id, ""),
        note="; ".join(dict.fromkeys(notes)),
        origin=found.origin,
    )

"""One line for every cell that a paper prints: its value, ours, and how they compare."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from deepmt.config.papers import Column, Paper, Row, Table, printed_columns
from deepmt.files import replacing
from deepmt.results.cell_values import Ledger, Status, answer
from deepmt.results.verdict import Verdict, judge


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A line of cells.csv."""

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


def all_cells(papers: Sequence[Paper], ledger: Ledger) -> list[Cell]:
    """Every printed cell of the papers, in their order, whether or not it was run."""
    return [
        cell(paper, table, row, table.columns[key], ledger)
        for paper in papers
        for table in paper.tables
        for row in table.rows
        for key in printed_columns(table, row)
    ]


def cell(paper: Paper, table: Table, row: Row, column: Column, ledger: Ledger) -> Cell:
    """One cell with its verdict."""
    found = answer(paper, table, row, column, ledger)
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
            comparable=found.full_size or (ledger.comparable(row) and found.same_set),
        ),
        scale=ledger.scale,
        run=ledger.specs[row.id].run if row.id in ledger.specs else "",
        note="; ".join(dict.fromkeys(notes)),
    )


def write_cells(cells: Sequence[Cell], path: Path) -> None:
    """Write cells.csv, values at full precision, whole or not at all."""
    names = list(Cell.__dataclass_fields__)
    frame = pd.DataFrame([asdict(cell) for cell in cells], columns=names)
    with replacing(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


def read_cells(path: Path) -> list[Cell]:
    """Read cells.csv back."""
    return list(_rows(pd.read_csv(path, dtype=str, keep_default_na=False)))


def _rows(frame: pd.DataFrame) -> Iterator[Cell]:
    for line in frame.to_dict("records"):
        numbers = {
            name: float(line[name]) if line[name] else None
            for name in ("published", "ours", "spread")
        }
        yield Cell(**line | numbers | {"seeds": int(line["seeds"])})

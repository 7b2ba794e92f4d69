"""No printed value is missing from cells.csv: counted in the reference files themselves."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from full_sizes import PAPERS
from invented import nothing_run
from test_papers import KEYS, reference_of

from deepmt.judge.cells import Cell, all_cells
from deepmt.report.rendered_tables import split_mark
from deepmt.settings.csv_lines import read_lines, write_lines

ROWS = {row.id: row for paper in PAPERS.values() for t in paper.tables for row in t.rows}


@pytest.fixture(params=KEYS)
def printed(request: pytest.FixtureRequest) -> dict[str, Any]:
    return reference_of(request.param)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file, of nothing that was ever run."""
    results = nothing_run(ROWS.values())
    path = tmp_path_factory.mktemp("cells") / "cells.csv"
    write_lines(Cell, all_cells(list(PAPERS.values()), results), path)
    return path


def notes(row: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What is printed beside or in place of the numbers of a row, by column."""
    found = dict(row.get("notes") or {})
    whole = found.pop("all", None)
    return dict.fromkeys(row["values"], whole) | found if whole else found


def test_every_table_has_a_line_for_every_printed_number(path: Path, printed) -> None:
    wanted = {
        table["id"]: sum(v is not None for row in table["rows"] for v in row["values"].values())
        for table in printed["tables"]
    }
    lines = [cell for cell in read_lines(Cell, path) if cell.paper == printed["paper"]["key"]]
    assert Counter(cell.table for cell in lines if cell.published is not None) == Counter(wanted)


def test_every_printed_mark_has_its_line_and_is_shown_as_printed(path: Path, printed) -> None:
    lines = {(cell.row, cell.column): cell for cell in read_lines(Cell, path)}
    for row in (row for table in printed["tables"] for row in table["rows"]):
        for column, note in notes(row).items():
            mark, meaning = split_mark(ROWS[row["id"]].marks[column])
            assert mark == (note["printed"] or "")
            assert (meaning or mark) in lines[row["id"], column].note


def test_a_failed_row_has_a_line_for_every_column_that_it_leaves_empty(path: Path) -> None:
    lines = {(cell.row, cell.column) for cell in read_lines(Cell, path)}
    failed = [row for row in ROWS.values() if row.status in ("failed", "diverged")]
    assert len(failed) > 10
    assert {(row.id, column) for row in failed for column in row.marks} <= lines

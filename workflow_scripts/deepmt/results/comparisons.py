"""Which rows of a table differ by more than chance: the lines of significance/<table>.csv."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deepmt.config.papers import Row, Table
from deepmt.results.csv_lines import read_lines
from deepmt.results.records import Record

Mark = Literal["+", "-", "=", ""]
"""Better, worse, no significant difference, as in the paper; empty where nothing was tested."""

AGAIN = "trained again since: run the target comparisons"


@dataclass(frozen=True, kw_only=True)
class RowComparison:
    """A row of a table against another one."""

    row: str
    against: str
    column: str
    printed: str
    """What the paper prints; empty where it prints nothing."""
    ours: Mark = ""
    score: float | None = None
    score_against: float | None = None
    p_value: float | None = None
    set: str = ""
    seed: int | None = None
    seed_against: int | None = None
    signature: str = ""
    note: str = ""
    """Why the two were not compared."""
    run: str = ""
    run_against: str = ""
    trained: str = ""
    trained_against: str = ""
    """When training of the two seeds finished."""


def name_in_table(row: Row) -> str:
    """Return a row's id within its table."""
    return row.id.split(".", 2)[2]


def printed_mark(row: Row, against: Row) -> str:
    """Return what the paper says of two rows, in a matrix or in words."""
    if against.id in row.beats:
        return "+"
    if row.id in against.beats:
        return "-"
    return row.significance.get(name_in_table(against), "")


def matrix_names(table: Table) -> tuple[str, ...]:
    """Return the rows of a printed matrix of significance; none without a matrix."""
    rows = table.rows if all(row.significance for row in table.rows) else ()
    return tuple(name_in_table(row) for row in rows)


def read_comparisons(folder: Path, records: Iterable[Record]) -> Mapping[str, list[RowComparison]]:
    """Read what was tested under results/<scale>, by table.

    A test of a seed that has been trained again since, or is gone, counts as none.
    """
    trained: dict[tuple[str, int | None], str] = {
        (record.run, record.seed): record.finished for record in records
    }

    def current(line: RowComparison) -> RowComparison:
        seeds = (line.run, line.seed), (line.run_against, line.seed_against)
        if [trained.get(seed) for seed in seeds] == [line.trained, line.trained_against]:
            return line
        pair = {key: getattr(line, key) for key in ("row", "against", "column", "printed")}
        return RowComparison(**pair, note=AGAIN)

    return {
        path.stem: [
            current(line) if line.ours else line for line in read_lines(RowComparison, path)
        ]
        for path in sorted(folder.glob("significance/*.csv"))
    }

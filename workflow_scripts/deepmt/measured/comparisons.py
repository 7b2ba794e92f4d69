"""Read which rows of a table differ by more than chance: significance/<table>.csv."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deepmt.measured.records import Record
from deepmt.settings.csv_lines import read_lines
from deepmt.study.papers import Row, Table

Mark = Literal["+", "-", "=", ""]
"""Better, worse, no significant difference, as in the paper; empty if not tested."""

OUTDATED = "trained again after the test: run the target comparisons"


@dataclass(frozen=True, kw_only=True)
class RowComparison:
    """Compare a row of a table with another one."""

    row: str
    against: str
    column: str
    printed: str
    """The mark that the paper prints, or empty."""
    ours: Mark = ""
    score: float | None = None
    score_against: float | None = None
    p_value: float | None = None
    split: str = ""
    seed: int | None = None
    seed_against: int | None = None
    signature: str = ""
    note: str = ""
    """The reason if the two were not compared."""
    run: str = ""
    run_against: str = ""
    trained: str = ""
    trained_against: str = ""
    """Times at which training of the two seeds finished."""


def name_in_table(row: Row) -> str:
    """Return a row's id within its table."""
    return row.id.split(".", 2)[2]


def printed_mark(row: Row, against: Row) -> str:
    """Return the paper's mark for two rows, from its matrix or its text."""
    if against.id in row.beats:
        return "+"
    if row.id in against.beats:
        return "-"
    return row.significance.get(name_in_table(against), "")


def matrix_names(table: Table) -> tuple[str, ...]:
    """Return the rows of the printed significance matrix; empty without one."""
    rows = table.rows if all(row.significance for row in table.rows) else ()
    return tuple(name_in_table(row) for row in rows)


def read_comparisons(folder: Path, records: Iterable[Record]) -> Mapping[str, list[RowComparison]]:
    """Read the significance tests under results/<scale>, by table.

    Ignore the test of a seed that was trained again or removed since.
    """
    trained: dict[tuple[str, int | None], str] = {
        (record.run, record.seed): record.finished for record in records
    }

    def current(line: RowComparison) -> RowComparison:
        seeds = (line.run, line.seed), (line.run_against, line.seed_against)
        if [trained.get(seed) for seed in seeds] == [line.trained, line.trained_against]:
            return line
        pair = {key: getattr(line, key) for key in ("row", "against", "column", "printed")}
        return RowComparison(**pair, note=OUTDATED)

    return {
        path.stem: [
            current(line) if line.ours else line for line in read_lines(RowComparison, path)
        ]
        for path in sorted(folder.glob("significance/*.csv"))
    }

"""Add significance to a table: the printed matrix with ours, or daggers from the text."""

from collections.abc import Iterator, Sequence

from deepmt.judge.significance import (
    SAMPLES,
    SIGNIFICANT,
    RowComparison,
    name_in_table,
    printed_mark,
)
from deepmt.study.papers import Column, Row, Table

DAGGER = "†"
MATRIX = "against."
"""Prefix of a row's name in the key of the column that compares every row with it."""


def matrix_cells(row: Row, table: Table, tested: Sequence[RowComparison]) -> dict[str, str]:
    """Return a row of the matrix: printed marks, and ours if any pair was compared."""
    ours = {(pair.row, pair.against): pair.ours for pair in tested}
    found: dict[str, str] = {}
    for other in table.rows if all(each.significance for each in table.rows) else ():
        name = name_in_table(other)
        found[f"{MATRIX}{name}.paper"] = printed_mark(row, other)
        if any(ours.values()):
            found[f"{MATRIX}{name}.ours"] = ours.get((name_in_table(row), name), "")
    return found


def daggers(
    row: Row, column: Column, table: Table, tested: Sequence[RowComparison]
) -> tuple[str, str]:
    """Return the marks after the printed value and ours; a delta gets none."""
    if not row.beats or column.better == "neither" or column.measure == "delta":
        return "", ""
    names = {name_in_table(other) for other in table.rows if other.id in row.beats}
    better = (name_in_table(row), column.key, "+")
    beaten = {pair.against for pair in tested if (pair.row, pair.column, pair.ours) == better}
    return f" {DAGGER}", f" {DAGGER}" if beaten >= names else ""


def describe_marks(table: Table, tested: Sequence[RowComparison]) -> Iterator[str]:
    """Yield the meaning of the daggers, and the signatures of our tests."""
    labels = {row.id: row.label for row in table.rows}
    beaten = {" and ".join(labels[other] for other in row.beats) for row in table.rows if row.beats}
    for others in sorted(beaten):
        yield f"{DAGGER}: better than {others}, p < {SIGNIFICANT}"
    for signature in sorted({pair.signature for pair in tested if pair.ours}):
        yield (
            f"Significance, here: paired bootstrap, {SAMPLES} samples, p < {SIGNIFICANT}, first"
            f" finished seeds: {signature}"
        )

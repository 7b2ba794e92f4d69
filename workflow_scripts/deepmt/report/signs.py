"""Significance beside a table: a printed matrix with ours, or daggers where the text tells it."""

from collections.abc import Iterator, Mapping, Sequence

from deepmt.config.papers import Column, Row, Table
from deepmt.metrics.bootstrap import SAMPLES, SIGNIFICANT
from deepmt.results.comparisons import Pair, matrix_names, name_in_table, printed_sign

DAGGER = "†"
MATRIX = "against."
"""Before a row's name: the key of the column that sets every row against it."""


def matrix_spanners(table: Table) -> dict[str, str]:
    """Headings of the matrix by column key; none for a table without one."""
    return {f"{MATRIX}{name}": name for name in matrix_names(table)}


def matrix_cells(row: Row, table: Table, pairs: Sequence[Pair]) -> dict[str, str]:
    """A row of the matrix: the printed signs, and ours as soon as any pair was compared."""
    ours = {(pair.row, pair.against): pair.ours for pair in pairs}
    found: dict[str, str] = {}
    for name, other in zip(matrix_names(table), table.rows, strict=False):
        found[f"{MATRIX}{name}.paper"] = printed_sign(row, other)
        if any(ours.values()):
            found[f"{MATRIX}{name}.ours"] = ours.get((name_in_table(row), name), "")
    return found


def daggers(row: Row, column: Column, table: Table, pairs: Sequence[Pair]) -> Mapping[str, str]:
    """What stands after the printed value and after ours; the delta is no score of its own."""
    if not row.beats or column.better == "neither" or column.measure == "delta":
        return {"paper": "", "ours": ""}
    names = {name_in_table(other) for other in table.rows if other.id in row.beats}
    beaten = {
        pair.against
        for pair in pairs
        if (pair.row, pair.column, pair.ours) == (name_in_table(row), column.key, "+")
    }
    return {"paper": f" {DAGGER}", "ours": f" {DAGGER}" if beaten >= names else ""}


def describe_signs(table: Table, pairs: Sequence[Pair]) -> Iterator[str]:
    """What the daggers mean, and how ours were tested."""
    labels = {row.id: row.label for row in table.rows}
    beaten = {" and ".join(labels[other] for other in row.beats) for row in table.rows if row.beats}
    for others in sorted(beaten):
        yield f"{DAGGER}: better than {others}, p < {SIGNIFICANT}"
    tested = sorted({pair.signature for pair in pairs if pair.ours})
    for signature in tested:
        yield (
            f"Significance, ours: paired bootstrap, {SAMPLES} samples, p < {SIGNIFICANT}, first"
            f" finished seeds: {signature}"
        )

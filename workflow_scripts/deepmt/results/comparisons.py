"""Which rows of a table differ by more than chance: the lines of significance/<table>.csv."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

from deepmt.config.papers import Row, Table
from deepmt.files import replacing

Sign = Literal["+", "-", "=", ""]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A row of a table against another one."""

    row: str
    against: str
    column: str
    printed: str
    """+ better, - worse, = no significant difference, as in the paper; empty where not printed."""
    ours: Sign = ""
    score: float | None = None
    score_against: float | None = None
    p_value: float | None = None
    set: str = ""
    seed: int | None = None
    seed_against: int | None = None
    signature: str = ""
    note: str = ""
    """Why the two were not compared."""


def name_in_table(row: Row) -> str:
    """A row's id within its table."""
    return row.id.split(".", 2)[2]


def printed_sign(row: Row, against: Row) -> str:
    """What the paper says of two rows, in a matrix or in words."""
    if against.id in row.beats:
        return "+"
    if row.id in against.beats:
        return "-"
    return row.significance.get(name_in_table(against), "")


def matrix_names(table: Table) -> tuple[str, ...]:
    """Rows that a printed matrix of significance sets every row against; none without a matrix."""
    rows = table.rows if all(row.significance for row in table.rows) else ()
    return tuple(name_in_table(row) for row in rows)


def write_pairs(pairs: Sequence[Pair], path: Path) -> None:
    """Write significance/<table>.csv, whole or not at all."""
    frame = pd.DataFrame([asdict(pair) for pair in pairs], columns=list(Pair.__dataclass_fields__))
    frame = frame.astype({"seed": "Int64", "seed_against": "Int64"})
    with replacing(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


def read_pairs(results: Path) -> Mapping[str, tuple[Pair, ...]]:
    """What was tested under results/<scale>, by table.

    Raises:
        ValueError: a file has other columns than these; names it.
    """
    return {path.stem: _read(path) for path in sorted(results.glob("significance/*.csv"))}


def _read(path: Path) -> tuple[Pair, ...]:
    lines = pd.read_csv(path, dtype=str, keep_default_na=False)
    if list(lines.columns) != list(Pair.__dataclass_fields__):
        wanted = ", ".join(Pair.__dataclass_fields__)
        raise ValueError(
            f"{path}:1: the columns must be {wanted}; delete the file and run"
            " `snakemake comparisons` again"
        )
    numbers = {"score": float, "score_against": float, "p_value": float}
    kinds = numbers | {"seed": int, "seed_against": int}
    return tuple(
        Pair(**line | {k: kind(line[k]) if line[k] else None for k, kind in kinds.items()})
        for line in lines.to_dict("records")
    )

"""Count the trainable parameters of every system and compare them with the printed number."""

from dataclasses import dataclass
from functools import cache

import torch

from deepmt.base.errors import UserError
from deepmt.model.build import build
from deepmt.settings.spec import Spec
from deepmt.study.papers import Column, Paper, Row, Table, measure_of
from deepmt.study.scale import Scale
from deepmt.untrained.untrained_specs import full_size

MEASURE = "params_m"
NO_SYSTEM = {
    "quoted": "quoted from other literature, not a system of this paper",
    "not-run": "not run in the paper",
}


@dataclass(frozen=True, kw_only=True)
class Size:
    """Represent a line of params.csv."""

    paper: str
    table: str
    row: str
    published_m: float | None
    ours: int | None
    difference_m: float | None
    note: str


def count(spec: Spec, source_vocabulary: int, target_vocabulary: int) -> int:
    """Count trainable parameters, shared ones once, on the meta device to save memory."""
    with torch.device("meta"):
        model = build(spec, source_vocabulary, target_vocabulary)
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


def sizes(paper: Paper, scale: Scale) -> list[Size]:
    """Return a line for every row with a size column, also where its cell is empty.

    Raises:
        ValueError: if a size differs from the printed one and no reason is known.
    """

    @cache
    def ours(system: str) -> int:
        spec = full_size(paper, system, scale)
        return count(spec, *paper.vocabulary[spec.data.corpus])

    return [
        size(paper, table, row, column, None if row.system is None else ours(row.system))
        for table in paper.tables
        for row in table.rows
        for column in table.columns.values()
        if measure_of(row, column) == MEASURE and column.key in row.values
    ]


def size(paper: Paper, table: Table, row: Row, column: Column, ours: int | None) -> Size:
    """Return one line, with the reason if ours differs from the printed digits."""
    published = row.values[column.key]
    difference = None
    if ours is not None and published is not None:
        difference = round(ours / 1e6 - published, 3)
    return Size(
        paper=paper.key,
        table=table.id,
        row=row.id,
        published_m=published,
        ours=ours,
        difference_m=difference,
        note=note(column, row, ours),
    )


def note(column: Column, row: Row, ours: int | None) -> str:
    """Return the reason for a difference; empty if ours has the printed digits."""
    published = row.values[column.key]
    if ours is None:
        return NO_SYSTEM[row.status]
    if published is None:
        return "the paper prints no size"
    if round(ours / 1e6, row.decimals.get(column.key, column.decimals)) == published:
        return ""
    known = (reason.why for reason in column.differs if published in reason.printed)
    if not (reason := next(known, row.remark)):
        raise UserError(
            f"{row.id}: {ours:,} parameters differ from the printed {published}M for no known"
            f" reason: correct the system in papers/, or give the reason under `differs` of the"
            f" column {column.key}"
        )
    return reason

"""List the rows and figures that print a time or a speed, each with its reference system."""

from dataclasses import dataclass

from deepmt.study.figure_options import SpeedByDepth
from deepmt.study.measures import TIMES
from deepmt.study.papers import Paper, Table

RATIO = "tokens_per_s_ratio"
UNITS = TIMES | {RATIO: "ratio"}
"""Measures of time or speed and their units; the last is the ratio of two printed speeds."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Represent a printed row, or a system of a figure, with the measures that it asks for."""

    table: str
    row: str
    system: str
    reference: str
    """The system that its ratios are relative to."""
    measures: tuple[str, ...]


def comparisons(paper: Paper) -> list[list[Entry]]:
    """Group the rows by reference, and the systems by figure, to measure each group in one run."""
    figures = [
        [
            Entry(
                table=figure.id,
                row=system,
                system=system,
                reference=figure.draw.reference,
                measures=("tokens_per_s", RATIO),
            )
            for system in figure.systems
        ]
        for figure in paper.figures
        if isinstance(figure.draw, SpeedByDepth)
    ]
    return [group for table in paper.tables for group in table_groups(table)] + figures


def table_groups(table: Table) -> list[list[Entry]]:
    """Group the rows that print at least one time or speed by their reference."""
    columns = {key: c.measure for key, c in table.columns.items() if c.measure in UNITS}
    rows = {row.id: row for row in table.rows if row.system and any(map(row.values.get, columns))}
    groups: dict[str, list[Entry]] = {}
    for row in rows.values():
        reference = rows[table.baseline or row.reference or row.id]
        entry = Entry(
            table=table.id,
            row=row.id,
            system=str(row.system),
            reference=str(reference.system),
            measures=(*columns.values(), *((RATIO,) if table.baseline else ())),
        )
        groups.setdefault(reference.id, []).append(entry)
    return list(groups.values())

"""List the rows and figures that print a time or a speed, each with its reference system."""

from collections.abc import Mapping
from dataclasses import dataclass

from deepmt.config.figure_options import SpeedByDepth
from deepmt.config.measures import TIMES
from deepmt.config.papers import Figure, Paper, Row, Table

UNITS = TIMES | {"tokens_per_s_ratio": "ratio"}
"""Measures of time or speed and their units; the last is the ratio of two printed speeds."""
BASELINES = {"wang2019.table5": "wang2019.t5.r2"}
"""Table without printed ratios -> row that our ratios are relative to."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """Represent a printed row, or a system of a figure, with its printed values by measure."""

    table: str
    row: str
    system: str
    reference: str
    """The system that its ratios are relative to."""
    printed: Mapping[str, float | None]


def comparisons(paper: Paper) -> list[list[Entry]]:
    """Group the rows by reference, and the systems by figure, to measure each group in one run."""
    figures = [
        figure_group(paper, figure, figure.draw.reference)
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
        reference = rows[BASELINES.get(table.id) or row.reference or row.id]
        groups.setdefault(reference.id, []).append(row_entry(table, row, reference, columns))
    return list(groups.values())


def row_entry(table: Table, row: Row, reference: Row, columns: Mapping[str, str]) -> Entry:
    """Return the values of a row, and the ratio of printed speeds if the table has none."""
    printed = {measure: row.values.get(key) for key, measure in columns.items()}
    if table.id in BASELINES:
        [key] = columns
        own, other = row.values[key], reference.values[key]
        printed["tokens_per_s_ratio"] = round(own / other, 4) if own and other else None
    return Entry(
        table=table.id,
        row=row.id,
        system=str(row.system),
        reference=str(reference.system),
        printed=printed,
    )


def figure_group(paper: Paper, figure: Figure, slower: str) -> list[Entry]:
    """Return the systems of a figure without numbers, with the percentages of the text."""
    claimed = {
        claim.systems: round(1 + percent / 100, 4)
        for claim in paper.claims
        if figure.id in claim.rests_on
        and isinstance(percent := claim.numbers.get("percent"), float)
    }
    return [
        Entry(
            table=figure.id,
            row=system,
            system=system,
            reference=slower,
            printed={"tokens_per_s": None, "tokens_per_s_ratio": claimed.get((system, slower))},
        )
        for system in figure.systems
    ]

"""What a run is for: rows, papers, printed cells, tables, claims."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from deepmt.config.measures import ELSEWHERE, measure_of
from deepmt.config.paper_claims import Claim
from deepmt.config.papers import (
    Paper,
    cells_of_claims,
    printed_columns,
    rows_of_figure,
    rows_of_system,
)
from deepmt.config.settings import Plan

UNTRAINED = {*ELSEWHERE, "none", "statistic", "params_m"}
"""Measures that no training answers."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """Rows of tables, figures and claims that stand on a run."""

    rows: tuple[str, ...]
    papers: tuple[str, ...]
    cells: int
    """Printed ones that it answers."""
    headline: bool
    feeds: tuple[str, ...] = ()
    """Runs that train on text which this one makes."""

    @property
    def weight(self) -> int:
        """What only figures, claims or other runs need counts as one cell."""
        return max(1, self.cells)


def uses(plan: Plan) -> dict[str, Use]:
    """By run: those of the rows asked for, and those that make text for them."""
    rows, feeds = defaultdict(list), defaultdict(list)
    for row, spec in plan.specs.items():
        if row in plan.selected:
            rows[spec.run].append(row)
    for run, spec in plan.runs.items():
        if spec.data.corpus in plan.reverse:
            feeds[plan.reverse[spec.data.corpus].run].append(run)
    cells, headline = printed_cells(plan), headline_rows(plan)
    found = {}
    for run in dict.fromkeys([*plan.runs, *feeds]):
        served = rows[run] + [row for fed in feeds[run] for row in rows[fed]]
        found[run] = Use(
            rows=tuple(rows[run]),
            papers=tuple(dict.fromkeys(map(paper_of, served))),
            cells=sum(cells.get(row, 0) for row in rows[run]),
            headline=any(row in headline for row in served),
            feeds=tuple(feeds[run]),
        )
    return found


def paper_of(row: str) -> str:
    """The key of a row's paper: zhang2019 of zhang2019.t3.r11, and of zhang2019/base-20l."""
    return row.replace("/", ".").partition(".")[0]


def headline_rows(plan: Plan) -> frozenset[str]:
    """Rows of config.yaml's `headline`."""
    return frozenset(row for rows in plan.config.headline.values() for row in rows)


def printed_cells(plan: Plan) -> dict[str, int]:
    """By row, how many of its printed cells a training answers."""
    return {
        row.id: sum(
            measure_of(row, table.columns[key]) not in UNTRAINED
            for key in printed_columns(table, row)
        )
        for paper in plan.papers
        for table in paper.tables
        for row in table.rows
    }


def rows_of_claim(paper: Paper, claim: Claim) -> set[str]:
    """Rows that the checks of a claim look at."""
    return {row for check in claim.judge for row in _rows_of_check(paper, check.cells, check.fact)}


def _rows_of_check(paper: Paper, cells: Collection[str], fact: str) -> Iterator[str]:
    systems = cells_of_claims(paper)
    figures = {figure.id.removeprefix(f"{paper.key}."): figure for figure in paper.figures}
    for name in [*cells, *([fact] if fact else [])]:
        figure = figures.get(name.partition(".")[0])
        if name in systems:
            yield rows_of_system(paper, systems[name][1])[0].id
        elif figure is not None:
            yield from (row.id for row in rows_of_figure(paper, figure))
        else:
            yield f"{paper.key}.{name.rpartition('.')[0]}"

"""Collect the tables, figures and claims of a paper for a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from markupsafe import Markup, escape

from deepmt.judge.cells import Cell
from deepmt.judge.check_sides import CheckResult
from deepmt.judge.claim import JudgedClaim, judge_checks, remarks
from deepmt.judge.evidence import MEASURES_OF_FIGURES, Evidence
from deepmt.measured.table import APART
from deepmt.report.figures.figure_files import Drawn
from deepmt.report.page.html_table import mark
from deepmt.report.rendered_tables import RenderedTable
from deepmt.study.paper_claims import Claim
from deepmt.study.papers import OWN_PAPER, Column, Paper, Row, Table


@dataclass(frozen=True, kw_only=True)
class Opening:
    """Hold what a page begins with, in place of the example sentences."""

    links: Mapping[str, str]
    """Id of a section -> its words in the contents."""
    html: Markup


@dataclass(frozen=True, kw_only=True)
class ClaimChecks:
    """Hold what decides a claim."""

    results: Sequence[CheckResult]
    remarks: Sequence[str]

    @property
    def holding(self) -> int:
        """Return how many checks hold."""
        return sum(one.status == "holds" for one in self.results)


def checks_of(claim: Claim, evidence: Evidence) -> ClaimChecks:
    """Decide a claim's checks anew, with all that claims.csv says in a sentence."""
    results = judge_checks(claim, evidence)
    return ClaimChecks(results=results, remarks=remarks(claim, results))


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """Hold a paper with its tables, figures and claims."""

    paper: Paper
    tables: Sequence[RenderedTable]
    drawings: Sequence[Drawn] = ()
    claims: Sequence[JudgedClaim] = ()
    checks: Mapping[str, ClaimChecks] = field(default_factory=dict)
    """By claim."""

    @cached_property
    def places(self) -> list[tuple[Table, Row, Column, Cell]]:
        """Return all cells with the places where they are printed."""
        return [
            (table, row, table.columns[cell.column], cell)
            for rendered in self.tables
            for table in [rendered.table]
            for row in table.rows
            for cell in rendered.cells_of(row.id)
        ]

    @cached_property
    def labels(self) -> dict[str, Markup]:
        """Return labels by the ids that evidence has for cells and for points of figures."""
        paper, found = self.paper, {}
        for _, row, column, cell in self.places:
            text = escape(f"{row.group} {row.label}, {column.label}".strip())
            found[f"{row.id}.{column.key}"] = text if cell.ours is None else mark(text, cell)
        link = Markup('<a href="#{0}">figure {1}</a>, {2}, {3}')
        for figure, key in product(paper.figures, MEASURES_OF_FIGURES):
            for system in figure.systems:
                words = (figure.id, figure.number, system, key.replace("_", " "))
                found[f"{figure.id}.{system}.{key}"] = link.format(*words)
        return {name.removeprefix(f"{paper.key}."): text for name, text in found.items()}

    @property
    def leading(self) -> list[Drawn]:
        """Return the figure of quality against budget, which stands under the ranking."""
        return [one for one in self.drawings if one.shows and one.kind == "over-budget"]

    @property
    def drawn(self) -> list[Drawn]:
        """Return the other figures that show something."""
        return [one for one in self.drawings if one.shows and one.kind != "over-budget"]

    @property
    def apart(self) -> str:
        """Return the warning that tables give if numbers of the paper stand apart, or ""."""
        return APART if any(APART in one.label for one in self.tables) else ""

    @property
    def byline(self) -> str:
        """Return authors, year and venue; "" for our own tables, which no paper prints."""
        if self.paper.key == OWN_PAPER:
            return ""
        parts = [", ".join(self.paper.authors), str(self.paper.year), self.paper.venue]
        return ". ".join(part for part in parts if part)

"""Collect the tables, figures and claims of a paper for a page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from deepmt.config.papers import Paper
from deepmt.report.claims import JudgedClaim
from deepmt.report.figures.figure_files import Drawn
from deepmt.report.rendered_tables import RenderedTable, State
from deepmt.results.cells import Cell


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """Hold a paper with its tables, figures and claims."""

    paper: Paper
    tables: Sequence[RenderedTable]
    drawings: Sequence[Drawn] = ()
    claims: Sequence[JudgedClaim] = ()

    @cached_property
    def states(self) -> Counter[State]:
        """Count the rows in each state."""
        return Counter(state for table in self.tables for state in table.states)

    @property
    def cells(self) -> list[Cell]:
        """Return the cells of all tables."""
        return [cell for table in self.tables for cell in table.cells.values()]

    @property
    def byline(self) -> str:
        """Return authors, year and venue."""
        parts = [", ".join(self.paper.authors), str(self.paper.year), self.paper.venue]
        return ". ".join(part for part in parts if part)

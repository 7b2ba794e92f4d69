"""A paper on a page: its tables, and the figures and claims that were asked for."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from deepmt.config.papers import Paper
from deepmt.report.claims import JudgedClaim
from deepmt.report.page.drawings import Drawing
from deepmt.report.sheets import Sheet, State
from deepmt.results.cells import Cell


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A paper and its tables."""

    paper: Paper
    sheets: Sequence[Sheet]
    drawings: Sequence[Drawing] = ()
    claims: Sequence[JudgedClaim] = ()

    @cached_property
    def states(self) -> Counter[State]:
        """How many rows ended how."""
        return Counter(state for sheet in self.sheets for state in sheet.states)

    @property
    def cells(self) -> list[Cell]:
        """Of all its tables."""
        return [cell for sheet in self.sheets for cell in sheet.cells.values()]

    @property
    def byline(self) -> str:
        """Authors, year, venue."""
        parts = [", ".join(self.paper.authors), str(self.paper.year), self.paper.venue]
        return ". ".join(part for part in parts if part)

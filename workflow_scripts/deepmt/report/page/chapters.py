"""Collect the tables of a paper, and the requested figures and claims, for a page."""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from deepmt.config.papers import Paper
from deepmt.files import read_json
from deepmt.report.claims import JudgedClaim
from deepmt.report.rendered_tables import RenderedTable, State
from deepmt.results.cells import Cell


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """Hold a paper with its tables, figures and claims."""

    paper: Paper
    tables: Sequence[RenderedTable]
    drawings: Sequence[Mapping[str, Any]] = ()
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


def drawings(paper: Paper, folder: Path) -> list[dict[str, Any]]:
    """Return the figures below results/<scale>, in the paper's order.

    Each is figures/<figure>.json with `number`, `image` (the SVG as a data URL, since ids of inline
    SVGs would clash) and `points`; the last two are empty if nothing could be drawn.
    """
    found = []
    for figure in paper.figures:
        path = folder / "figures" / f"{figure.id}.json"
        if path.exists():
            drawing = read_json(path)
            own = {"number": figure.number, "title": figure.plots, "image": "", "points": ""}
            if drawing["status"] != "not-run":
                svg = base64.b64encode(path.with_suffix(".svg").read_bytes()).decode()
                own["image"] = f"data:image/svg+xml;base64,{svg}"
                points = path.with_suffix(".csv")
                own["points"] = f"figures/{points.name}" if points.exists() else ""
            found.append(drawing | own)
    return found

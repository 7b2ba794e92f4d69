"""A paper on a page: its tables, and the figures and claims that were asked for."""

import base64
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deepmt.config.papers import Paper
from deepmt.report.claims import JudgedClaim
from deepmt.report.rendered_tables import RenderedTable, State
from deepmt.results.cells import Cell


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure of ours; `image` and `points` are empty where nothing could be drawn."""

    id: str
    number: int
    title: str
    label: str
    status: str
    finding: str
    missing: tuple[str, ...]
    image: str
    """The SVG as an address: its names of parts would clash with other figures' on the page."""
    points: str
    """Where its points lie, from the folder of results."""


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A paper and its tables."""

    paper: Paper
    tables: Sequence[RenderedTable]
    drawings: Sequence[Drawing] = ()
    claims: Sequence[JudgedClaim] = ()

    @cached_property
    def states(self) -> Counter[State]:
        """How many rows ended how."""
        return Counter(state for table in self.tables for state in table.states)

    @property
    def cells(self) -> list[Cell]:
        """Of all its tables."""
        return [cell for table in self.tables for cell in table.cells.values()]

    @property
    def byline(self) -> str:
        """Authors, year, venue."""
        parts = [", ".join(self.paper.authors), str(self.paper.year), self.paper.venue]
        return ". ".join(part for part in parts if part)


def drawings(paper: Paper, folder: Path) -> list[Drawing]:
    """Return the figures that were made below results/<scale>, in the paper's order."""
    files = ((folder / "figures" / f"{figure.id}.json", figure.number) for figure in paper.figures)
    return [_drawing(path, number) for path, number in files if path.exists()]


def _drawing(path: Path, number: int) -> Drawing:
    found = json.loads(path.read_text())
    points, image = path.with_suffix(".csv"), path.with_suffix(".svg")
    drawn = found["status"] != "not-run"
    encoded = base64.b64encode(image.read_bytes()).decode() if drawn else ""
    return Drawing(
        id=found["figure"],
        number=number,
        title=found["title"].removeprefix(f"Figure {number}: "),
        label=found["label"],
        status=found["status"],
        finding=found["finding"],
        missing=tuple(found["missing"]),
        image=f"data:image/svg+xml;base64,{encoded}" if drawn else "",
        points=f"figures/{points.name}" if drawn and points.exists() else "",
    )

"""The figures of a paper as a page shows them."""

import base64
import json
from dataclasses import dataclass
from pathlib import Path

from deepmt.config.papers import Paper


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


def drawings(paper: Paper, results: Path) -> list[Drawing]:
    """Those that were made, in the paper's order."""
    files = ((figure, results / "figures" / f"{figure.id}.json") for figure in paper.figures)
    return [read_drawing(path, figure.number) for figure, path in files if path.exists()]


def read_drawing(path: Path, number: int) -> Drawing:
    """Read figures/<id>.json and what lies beside it."""
    found = json.loads(path.read_text())
    points = path.with_suffix(".csv")
    drawn = found["status"] != "not-run"
    return Drawing(
        id=found["figure"],
        number=number,
        title=found["title"].removeprefix(f"Figure {number}: "),
        label=found["label"],
        status=found["status"],
        finding=found["finding"],
        missing=tuple(found["missing"]),
        image=_address(path.with_suffix(".svg")) if drawn else "",
        points=f"figures/{points.name}" if drawn and points.exists() else "",
    )


def _address(image: Path) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(image.read_bytes()).decode()}"

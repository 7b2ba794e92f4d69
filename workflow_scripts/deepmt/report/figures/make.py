"""One figure as files: picture, points, and what it shows."""

import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.papers import Figure
from deepmt.files import replacing, write_json, write_text
from deepmt.report.figures import style
from deepmt.report.figures.kinds import KINDS
from deepmt.report.figures.points import missing, status, waiting
from deepmt.report.figures.sources import Sources

PLACES = re.compile(r' (?:d|x|y)="[^"]*"|translate\([^)]*\)')
"""Where coordinates stand."""
LONG = re.compile(r"(\.\d\d)\d+")


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A figure before it is written."""

    svg: str
    points: pd.DataFrame
    summary: dict[str, Any]


def make(figure: Figure, sources: Sources) -> Drawn:
    """Gather the points, draw them, and say what they show."""
    kind = KINDS[figure.draw.kind]
    points = kind.gather(figure, sources)
    finding = kind.find(points, figure)
    text = f"{finding.text} {gaps(points)}".strip()
    label = kind.label(points, sources)
    summary = {
        "figure": figure.id,
        "title": title_of(figure),
        "status": status(points),
        "label": label,
        "finding": text,
        "facts": finding.facts,
        "runs": sorted(set(points.run) - {""}),
        "missing": missing(points),
    }
    with style.applied():
        begun = summary["status"] != "not-run"
        plot = kind.draw(points, figure) if begun else placeholder(points, figure)
        style.footer(plot, f"{label} {gaps(points)}".strip())
        svg = as_svg(plot, title_of(figure), f"{text} {label}")
    return Drawn(svg=svg, points=points, summary=summary)


def placeholder(points: pd.DataFrame, figure: Figure) -> Plot:
    """The panels as they will be, with nothing in them."""
    panels = list(dict.fromkeys(points.panel[points.source == "ours"]))
    return style.placeholder(panels, figure.draw.x)


def gaps(points: pd.DataFrame) -> str:
    """How much of a figure that was begun is missing."""
    if status(points) != "partial":
        return ""
    return f"Not run: {len(waiting(points))} of {(points.source == 'ours').sum()} points."


def title_of(figure: Figure) -> str:
    """Number and subject, as the page heads it."""
    return f"Figure {figure.number}: {figure.plots}"


def as_svg(plot: Plot, title: str, description: str) -> str:
    """The same bytes for the same points; title and description are what a screen reader reads."""
    buffer = io.StringIO()
    plot.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    start, tag, rest = buffer.getvalue().partition("<svg ")
    opening, end, body = rest.partition(">")
    head = f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>"
    return f'{start}{tag}role="img" {opening}{end}\n{head}{smaller(body)}'


def smaller(svg: str) -> str:
    """The same picture in fewer bytes: hundredths of a point are enough, but not for scales."""
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\n *", "\n", svg).replace("DejaVuSans-", "g")
    svg = PLACES.sub(lambda place: LONG.sub(r"\1", place[0]).replace("\n", ""), svg)
    return re.sub(r'(<use [^>]*)transform="translate\(([\d.]+) 0\)"', r'\1x="\2"', svg)


def write(drawn: Drawn, folder: Path) -> None:
    """Write <id>.svg, .csv and .json."""
    name = drawn.summary["figure"]
    write_text(folder / f"{name}.svg", drawn.svg)
    with replacing(folder / f"{name}.csv") as temporary:
        drawn.points.to_csv(temporary, index=False, lineterminator="\n")
    write_json(folder / f"{name}.json", drawn.summary)

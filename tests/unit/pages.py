"""A report on the invented paper, with a figure, claims, a corpus and a refused record."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import invented

from deepmt.judge.cells import all_cells
from deepmt.judge.claim import JudgedClaim
from deepmt.measured.table import Measured
from deepmt.report.figures.figure_files import Drawn
from deepmt.report.figures.figure_points import as_points
from deepmt.report.page.chapters import Chapter
from deepmt.report.page.render import report_page
from deepmt.report.rendered_tables import render_tables
from deepmt.study.figure_options import FigureOptions
from deepmt.study.papers import Figure

RUN = invented.SPECS["p.r1"].run
DRAW = FigureOptions(kind="layer-shares")
FIGURES = tuple(Figure(id=f"p.fig{n}", number=n, plots="loss", draw=DRAW) for n in (1, 2))
GROUPED = tuple(
    replace(row, id=f"p.t2.{row.id[2:]}", reference=None, group=group)
    for row, group in zip(invented.ROWS, ("low", "low", "low", "high", "high"), strict=False)
)
TABLES = (
    *invented.PAPER.tables,
    replace(invented.PAPER.tables[0], id="p.table2", number=2, rows=GROUPED),
)
PAPER = replace(invented.PAPER, figures=FIGURES, tables=TABLES)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'
STATUSES = (
    *("holds", "holds-in-part", "fails", "differs-on-this-machine", "undecided", "not-measured"),
)


def drawing(figure: Figure, status: str) -> Drawn:
    """A figure that lacks a point, and has two others if it was measured."""
    values = [{"x": x, "y": 3.0} for x in (1, 2) if status == "measured"]
    missing, points = ["p.r5: no corpus"], as_points(values)
    return Drawn(
        figure=figure, status=status, label="Toy.", missing=missing, points=points,
        svg=SVG if status == "measured" else "",
    )  # fmt: skip


def claim(status: str) -> JudgedClaim:
    """A claim that was judged so."""
    return JudgedClaim(
        paper="p",
        claim=f"p.{status}",
        where="section 1",
        statement=f"Deep is better ({status})",
        status=status,
        evidence="90.1 against 80.2",
        runs="",
        scale="toy",
    )


def fill(folder: Path) -> None:
    """Records of three systems, one of them recorded and one diverged, and a refused one."""
    for seed, bleu in ((1, 90.126), (2, 92.126)):
        made = {"software": {"torch": "2.13.0"}, "hardware": {"name": "CPU", "threads": 4}}
        path = invented.write_result(folder, invented.record("p.r1", seed, bleu=bleu, **made))
        (path.parent / "hyp.test.txt").write_text("Ein Satz.\n")
        (path.parent / "log.jsonl").write_text("{}\n")
    invented.write_result(folder, invented.diverged("p.r3", update=70))
    other = invented.record("p.r2", scale="<script>")
    invented.write_archive(folder, invented.record("p.r2", bleu=88.5), other)


def results(folder: Path, **changes: Any) -> Measured:
    """The second table's rows are the first one's systems."""
    known = invented.results(folder)
    again = {row.id: f"p.{row.id[5:]}" for row in GROUPED}
    own = {
        "rows": {**known.rows, **{n: known.rows[r] for n, r in again.items() if r in known.rows}},
        "unavailable": {**known.unavailable, "p.t2.r5": "no corpus"},
    }
    return replace(known, **own | changes)


def chapter(folder: Path, claims: Sequence[str] = ()) -> Chapter:
    """All that the page shows of the paper."""
    known = results(folder)
    return Chapter(
        paper=PAPER,
        tables=render_tables(PAPER, all_cells([PAPER], known), known, {}),
        drawings=[drawing(*pair) for pair in zip(FIGURES, ("measured", "not-run"), strict=True)],
        claims=[claim(status) for status in claims],
    )


def report(folder: Path, claims: Sequence[str] = STATUSES) -> str:
    """Render report.html from a folder."""
    known = results(folder, scale_title="Report <1>")
    return report_page([chapter(folder, claims)], known, folder / "results")


def attributes(page: str, name: str) -> list[str]:
    """Every value of an attribute."""
    return re.findall(rf'\b{name}="([^"]*)"', page)

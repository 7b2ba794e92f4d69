"""Fill README.md, docs/*.md and papers/*.md with what the records show.

`<!-- table NAME KEY=VALUE ... -->` begins a fragment and `<!-- end -->` ends it; NAME is a function
of MADE, and the rest are its arguments. The heading of a table is the page's own.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import matplotlib.style

from deepmt.base.files import visible
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_files import as_svg
from deepmt.report.figures.figure_points import as_points
from deepmt.report.figures.over_budget import OverBudgetFigure
from deepmt.report.figures.plotting import STYLE
from deepmt.report.fragments import (
    board_tables,
    convention_costs,
    convention_tables,
    row_tables,
    toolkit_tables,
)
from deepmt.report.fragments.recorded_scale import RecordedScales
from deepmt.report.fragments.row_tables import Cells
from deepmt.study.papers import find_figure

FRAGMENT = re.compile(r"(<!-- table (\w+)(.*?) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
PICTURE = Path("docs/multi30k-budget.svg")
"""README's figure, named after its scale."""
NAMES = {
    row_tables: "systems warmups budgets amounts ladder processors",
    toolkit_tables: "toolkits speeds profile builds",
    convention_tables: "conventions forks recipes surprises versions",
    convention_costs: "costs later_costs",
    board_tables: "answer board depths failed fit found kinds noise older price printed ratios"
    " spent unpaired",
}
MADE: Mapping[str, Callable[..., str | Iterable[Cells]]] = {
    name: getattr(module, name) for module, names in NAMES.items() for name in names.split()
}


def filled(page: str, recorded: RecordedScales) -> str:
    """Return a page with its fragments made anew."""

    def made(found: re.Match[str]) -> str:
        given = dict(part.split("=", 1) for part in found[3].split())
        text = MADE[found[2]](recorded, **given)
        if not isinstance(text, str):
            heading = "".join(found[4].splitlines(keepends=True)[:2])
            text = heading + "".join(f"| {' | '.join(line)} |\n" for line in text)
        return f"{found[1]}{text}{found[5]}"

    return FRAGMENT.sub(made, page)


def pages(root: Path) -> Iterator[Path]:
    """Yield the pages that may have fragments."""
    yield root / "README.md"
    yield from (*visible(root / "docs", "*.md"), *visible(root / "papers", "*.md"))


def picture(recorded: RecordedScales) -> str:
    """Return the panel of core hours of the report's first figure, as SVG."""
    found = recorded[PICTURE.stem]
    figure = find_figure(found.unified, "unified.fig1")
    data = FigureData(
        paper=found.unified,
        results=found.known,
        folder=recorded.root / "results",
        root=recorded.root,
    )
    kind = OverBudgetFigure(figure, data)
    points = as_points(kind.gather())
    with matplotlib.style.context(STYLE, after_reset=True):
        return as_svg(kind.draw_over(points, "core_hours"), figure, kind.label(points))


def write_pages(root: Path) -> Iterator[Path]:
    """Write picture and pages anew, and yield the pages that changed."""
    recorded = RecordedScales(root)
    (root / PICTURE).write_text(picture(recorded), encoding="utf-8")
    for path in pages(root):
        page = path.read_text(encoding="utf-8")
        if (new := filled(page, recorded)) != page:
            path.write_text(new, encoding="utf-8")
            yield path

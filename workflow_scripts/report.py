"""Write report.html: every table of every paper on one self-contained page."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.files import write_text
from deepmt.report.cells import read_cells
from deepmt.report.ledger import built_sets, open_ledger
from deepmt.report.material import materials
from deepmt.report.page import Chapter, report_page
from deepmt.report.sheets import make_sheets


@dataclass(frozen=True, kw_only=True)
class Args:
    """Join the tables of all papers asked for under an overview."""

    scale: str
    papers: tuple[str, ...]
    cells: Path
    results: Path
    output: Path
    root: Path = Path()


def main(args: Args) -> None:
    """Refused records are listed on the page."""
    asked = {"scale": args.scale, "papers": list(args.papers), "rows": "all"}
    plan, ledger = open_ledger(args.root, asked, args.results)
    cells = read_cells(args.cells)
    chapters = [
        Chapter(paper=paper, sheets=make_sheets(paper, cells, ledger, plan.scale.title))
        for paper in plan.papers
    ]
    title = f"Deep Transformers for translation: {plan.scale.title.lower()}"
    page = report_page(
        chapters,
        ledger.records.refusals,
        materials(plan.papers, ledger, built_sets(args.results)),
        title=title,
        scale_note=plan.scale.note,
    )
    write_text(args.output, page)


if __name__ == "__main__":
    main(parse(Args))

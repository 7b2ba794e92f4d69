"""Write the tables of one paper as Markdown, HTML and LaTeX."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.files import write_text
from deepmt.report.latex import latex
from deepmt.report.page import Chapter, paper_page
from deepmt.report.sheets import make_sheets
from deepmt.report.tables import markdown
from deepmt.results.cells import read_cells
from deepmt.results.results import open_ledger


@dataclass(frozen=True, kw_only=True)
class Args:
    """Show published values and ours side by side."""

    scale: str
    paper: str
    cells: Path
    results: Path
    output: Path
    """Folder for <paper>.md, <paper>.html and <paper>.tex."""
    root: Path = Path()


def main(args: Args) -> None:
    """All three formats show the same text."""
    asked = {"scale": args.scale, "papers": [args.paper], "rows": "all"}
    plan, ledger = open_ledger(args.root, asked, args.results)
    [paper] = plan.papers
    sheets = make_sheets(paper, read_cells(args.cells), ledger, plan.scale.title)
    chapter = Chapter(paper=paper, sheets=sheets)
    write_text(args.output / f"{paper.key}.md", markdown(paper, sheets, plan.scale.note))
    page = paper_page(chapter, ledger, args.results, plan.scale.note)
    write_text(args.output / f"{paper.key}.html", page)
    write_text(args.output / f"{paper.key}.tex", latex(paper, sheets, plan.scale.note))


if __name__ == "__main__":
    main(parse(Args))

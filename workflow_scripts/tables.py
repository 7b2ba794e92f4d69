"""Write the tables of one paper as Markdown, HTML and LaTeX."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.config.csv_lines import read_lines
from deepmt.config.papers import load
from deepmt.files import write_text
from deepmt.report.latex import latex
from deepmt.report.markdown import markdown
from deepmt.report.page.chapters import Chapter
from deepmt.report.page.render import paper_page
from deepmt.report.rendered_tables import render_tables
from deepmt.results.cells import Cell
from deepmt.results.comparisons import read_comparisons
from deepmt.results.results import read_results


@dataclass(frozen=True, kw_only=True)
class Args:
    """Show published values and ours side by side."""

    paper: Annotated[Path, "papers/<paper>.yaml"]
    results: Annotated[Path, "results/<scale>, with cells.csv and runs.json"]
    output: Annotated[Path, "folder for <paper>.md, <paper>.html and <paper>.tex"]


def main(args: Args) -> None:
    """Write the same text in three formats."""
    paper, results = load(args.paper), read_results(args.results)
    cells = read_lines(Cell, args.results / "cells.csv")
    tested = read_comparisons(args.results, results.records)
    tables = render_tables(paper, cells, results, tested)
    page = paper_page(Chapter(paper=paper, tables=tables), results, args.results)
    write_text(args.output / f"{paper.key}.md", markdown(paper, tables, results.scale_note))
    write_text(args.output / f"{paper.key}.html", page)
    write_text(args.output / f"{paper.key}.tex", latex(paper, tables, results.scale_note))


if __name__ == "__main__":
    run(main)

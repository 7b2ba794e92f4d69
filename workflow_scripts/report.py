"""Write report.html: tables, figures and claims of every paper on one self-contained page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.config.csv_lines import read_lines
from deepmt.config.papers import load
from deepmt.config.settings import OWN_PAPER
from deepmt.files import write_text
from deepmt.report.boards import board, read_board
from deepmt.report.built_corpora import built_corpora
from deepmt.report.claims import JudgedClaim
from deepmt.report.page.chapters import Chapter, drawings
from deepmt.report.page.render import report_page
from deepmt.report.rendered_tables import render_tables
from deepmt.results.cells import Cell
from deepmt.results.comparisons import read_comparisons
from deepmt.results.encoded_corpora import EncodedSplit
from deepmt.results.results import read_results
from deepmt.results.training_curves import read_curves


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write the tables of papers under an overview.

    Show figures and claims if `results` contains them.
    """

    papers: Annotated[tuple[Path, ...], "papers/*.yaml"]
    results: Annotated[Path, "results/<scale>, with cells.csv and runs.json"]
    output: Path
    recorded: Annotated[tuple[Path, ...], "results/recorded/<scale>, for the other boards"] = ()
    methods: Annotated[Path, "the paper with the rows of boards"] = Path("papers/unified.yaml")


def main(args: Args) -> None:
    """Write the page, which also lists refused records."""
    results = read_results(args.results)
    tested = read_comparisons(args.results, results.records)
    cells = read_lines(Cell, args.results / "cells.csv")
    claims = read_lines(JudgedClaim, args.results / "claims.csv")
    corpora = built_corpora(results, read_lines(EncodedSplit, args.results / "corpora.csv"))
    chapters = [
        Chapter(
            paper=paper,
            tables=render_tables(paper, cells, results, tested),
            drawings=drawings(paper, args.results),
            claims=[claim for claim in claims if claim.paper == paper.key],
        )
        for paper in map(load, args.papers)
    ]
    boards = [
        board(chapter.paper, results, cells, read_curves(args.results / "curves.csv"))
        for chapter in chapters
        if chapter.paper.key in (OWN_PAPER, results.scale)
    ]
    methods = load(args.methods)
    recorded = [read_board(methods, folder) for folder in args.recorded]
    # Trials of learning rates have no scores.
    boards += [one for one in recorded if any(tile.bleu is not None for tile in one.tiles)]
    write_text(args.output, report_page(chapters, results, args.results, corpora, boards))


if __name__ == "__main__":
    run(main)

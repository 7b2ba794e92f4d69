"""Write claims.csv: every claim of the papers, judged by cells.csv and runs.json."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.config.csv_lines import read_lines, write_lines
from deepmt.config.papers import load
from deepmt.report.claims import JudgedClaim, judge_claim
from deepmt.report.evidence import gather_evidence
from deepmt.results.cells import Cell
from deepmt.results.comparisons import read_comparisons
from deepmt.results.results import read_results


@dataclass(frozen=True, kw_only=True)
class Args:
    """Judge the claims of papers at a scale."""

    papers: Annotated[tuple[Path, ...], "papers/*.yaml"]
    results: Annotated[Path, "results/<scale>, with cells.csv and runs.json"]
    output: Path


def main(args: Args) -> None:
    """Judge every claim; claims with missing cells are not-measured."""
    results = read_results(args.results)
    tested = read_comparisons(args.results, results.records)
    cells = read_lines(Cell, args.results / "cells.csv")
    judged = []
    for paper in map(load, args.papers):
        evidence = gather_evidence(paper, cells, results, tested)
        judged += [judge_claim(claim, paper, evidence) for claim in paper.claims]
    write_lines(JudgedClaim, judged, args.output)


if __name__ == "__main__":
    run(main)

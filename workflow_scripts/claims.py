"""Write claims.csv: every claim of the papers, judged by cells.csv, records and figures."""

import json
from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.report.claims import judge_claims, write_claims
from deepmt.report.evidence import gather
from deepmt.results.cells import read_cells
from deepmt.results.results import open_ledger


@dataclass(frozen=True, kw_only=True)
class Args:
    """Judge the claims of `papers` at a scale."""

    scale: str
    papers: tuple[str, ...]
    rows: tuple[str, ...]
    cells: Path
    results: Path
    figures: tuple[Path, ...] = ()
    output: Path
    root: Path = Path()


def main(args: Args) -> None:
    """Claims whose cells or figures are not there say so."""
    asked = {"scale": args.scale, "papers": list(args.papers), "rows": list(args.rows)}
    plan, ledger = open_ledger(args.root, asked, args.results)
    cells = read_cells(args.cells)
    found = [json.loads(path.read_text(encoding="utf-8")) for path in args.figures]
    figures = {figure["figure"]: figure for figure in found}
    judged = [
        claim
        for paper in plan.papers
        for claim in judge_claims(paper, gather(paper, cells, ledger, figures))
    ]
    write_claims(judged, args.output)


if __name__ == "__main__":
    main(parse(Args))

"""Write cells.csv, curves.csv and runs.json from the records and measurements."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.config.csv_lines import write_lines
from deepmt.config.settings import load_plan
from deepmt.printable import printable
from deepmt.results.cells import Cell, all_cells
from deepmt.results.results import gather, write_results
from deepmt.results.training_curves import write_curves


@dataclass(frozen=True, kw_only=True)
class Args:
    """Read every record and training curve under `results` and in records/."""

    scale: str
    papers: tuple[str, ...]
    rows: tuple[str, ...]
    results: Annotated[Path, "results/<scale>; with from=records, results/<scale>-records"]
    output: Annotated[Path, "cells.csv; the other two files are written beside it"]
    root: Path = Path()


def main(args: Args) -> None:
    """Print refused records to standard error, and write everything else."""
    requested = {"scale": args.scale, "papers": list(args.papers), "rows": list(args.rows)}
    plan = load_plan(args.root, requested)
    results, curves = gather(plan, args.root, args.results)
    for refusal in (*results.refusals, *results.refused_curves):
        print(printable(f"refused: {refusal.message}"), file=sys.stderr)
    write_curves(curves, results.records, args.output.with_name("curves.csv"))
    write_results(results, args.output.with_name("runs.json"))
    write_lines(Cell, all_cells(plan.papers, results), args.output)


if __name__ == "__main__":
    run(main)

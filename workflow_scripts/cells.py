"""Write cells.csv: one line for every cell that the papers print."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from deepmt.cli import parse
from deepmt.results.cells import all_cells, write_cells
from deepmt.results.results import open_ledger


@dataclass(frozen=True, kw_only=True)
class Args:
    """Compare the records under `results` and in records/ with the papers."""

    scale: str
    papers: tuple[str, ...]
    rows: tuple[str, ...]
    results: Path = field(
        metadata={"help": "results/<scale>; with from=records, results/<scale>-records"}
    )
    output: Path
    root: Path = Path()


def main(args: Args) -> None:
    """Bad records are named on the standard error stream; everything else is written."""
    asked = {"scale": args.scale, "papers": list(args.papers), "rows": list(args.rows)}
    plan, ledger = open_ledger(args.root, asked, args.results)
    for refusal in ledger.records.refusals:
        print(f"refused: {refusal.message}", file=sys.stderr)
    write_cells(all_cells(plan.papers, ledger), args.output)


if __name__ == "__main__":
    main(parse(Args))

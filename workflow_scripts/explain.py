"""Explain where a number of a table comes from, and what would make it stale."""

import sys
from pathlib import Path
from typing import Annotated

from rich.console import Console

from deepmt.cli import Positional, run
from deepmt.config.csv_lines import read_lines
from deepmt.config.settings import load_config, load_papers, names_in
from deepmt.report.explain import Explanation, find
from deepmt.results.cells import Cell
from deepmt.results.results import read_results

ENDLESS = 100_000
"""Line width for pipes, where paths and ids must not be broken."""


def main(
    *,
    cell: Annotated[str, Positional("<row>.<column> or <row>, e.g. zhang2019.t3.r13.bleu_tok")],
    scale: Annotated[str, "default: as in config.yaml"] = "",
    results: Annotated[Path | None, "default: results/<scale>"] = None,
    root: Path = Path(),
) -> None:
    """Print the chain from a cell to its records, spec, data, code and command.

    Raises:
        ValueError: no paper prints the cell, or tables are missing.
    """
    asked = {"scale": scale} if scale else {}
    config = load_config(root / "config.yaml", {**asked, "papers": "all"})
    papers = load_papers(root / "papers", names_in(root / "papers"))
    target = find(cell, papers)
    folder = results or root / config.results
    if not (folder / "runs.json").exists():
        command = f"snakemake --cores all tables --config scale={config.scale}"
        raise ValueError(
            f"{folder}/runs.json is missing: run `{command}` first; with from=records it trains"
            f" nothing and writes to {config.results}-records, which --results names"
        )
    cells = {(one.row, one.column): one for one in read_lines(Cell, folder / "cells.csv")}
    tree = Explanation(
        **target, results=read_results(folder), cells=cells, root=root, folder=folder
    ).tree()
    Console(highlight=False, width=None if sys.stdout.isatty() else ENDLESS).print(tree)


if __name__ == "__main__":
    run(main)

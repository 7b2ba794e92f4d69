"""Explain where a number of a table comes from, and what would make it stale."""

from pathlib import Path
from typing import Annotated

from rich.console import Console

from deepmt.base.cli import Positional, open_output, run
from deepmt.report.explain import explain
from deepmt.study.plan import load_plan

ENDLESS = 100_000
"""Line width for pipes, where paths and ids must not be broken."""


def main(
    *,
    cell: Annotated[str, Positional("<row>.<column>, row or run, e.g. zhang2019.t3.r13.bleu_tok")],
    scale: Annotated[str, "default: as in config.yaml"] = "",
    results: Annotated[Path | None, "default: results/<scale>"] = None,
    root: Path = Path(),
) -> None:
    """Print the chain from a cell to its records, spec, data, code and command.

    Raises:
        ValueError: no paper prints the cell.
    """
    asked = {"scale": scale} if scale else {}
    plan = load_plan(root, {**asked, "papers": "all"})
    tree = explain(cell, plan, root, results or root / plan.config.results)
    Console(highlight=False, width=None if open_output().isatty() else ENDLESS).print(tree)


if __name__ == "__main__":
    run(main)

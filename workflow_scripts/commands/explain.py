"""Explain where a number of a table, of the board or of README comes from."""

from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.tree import Tree

from deepmt.base.cli import Positional, open_output, run
from deepmt.base.errors import UserError
from deepmt.report.explain import explain
from deepmt.report.explain_counts import COUNT, explain_count
from deepmt.report.explain_judged import explain_judged
from deepmt.report.explain_label import explain_label
from deepmt.report.fragments.recorded_scale import RecordedScale
from deepmt.study.plan import load_plan

PRINTED = BOARD, COUNTED = "multi30k-budget", "multi30k-fair"
"""Scales of README's board, and of the numbers that it counts."""
SCORED = "wu2021"
"""The scale at which a printed score was run."""
ENDLESS = 100_000
"""Line width for pipes, where paths and ids must not be broken."""


def main(
    *,
    cell: Annotated[
        str,
        Positional(
            "<row>.<column>, row or run, e.g. zhang2019.t3.r13.bleu_tok; or, in quotes, the label"
            " of a row, a system, question or ratio of the board, or a count of README"
        ),
    ],
    scale: Annotated[str, "default: as in config.yaml; of the board: that of README"] = "",
    results: Annotated[Path | None, "default: results/<scale>"] = None,
    root: Path = Path(),
) -> None:
    """Print the chain from a cell to its records, spec, data, code and command.

    Raises:
        ValueError: no paper prints the cell, and no label, the board or README has it.
    """
    asked = {"scale": scale} if scale else {}
    plan = load_plan(root, {**asked, "papers": "all"})
    try:
        tree = explain(cell, plan, root, results or root / plan.config.results)
    except UserError:
        if not (found := explain_label(cell, plan, root) or judged(cell, root, scale)):
            raise
        tree = found
    Console(highlight=False, width=None if open_output().isatty() else ENDLESS).print(tree)


def judged(name: str, root: Path, scale: str) -> Tree | None:
    """Return what a name or number of the board, or a count, is made of, by the records."""
    if COUNT.fullmatch(name):
        return explain_count(name, *(RecordedScale(root, one).cells for one in (COUNTED, SCORED)))
    rankings = (RecordedScale(root, one).ranking for one in ([scale] if scale else PRINTED))
    return next(filter(None, (explain_judged(name, one) for one in rankings)), None)


if __name__ == "__main__":
    run(main)

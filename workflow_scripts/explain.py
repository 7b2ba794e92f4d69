"""Say where a number of a table comes from, and what would make it stale."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from deepmt.cli import parse
from deepmt.config.settings import load_config
from deepmt.report.branch import Branch
from deepmt.report.explain import Known, explain, find
from deepmt.results.results import open_ledger

ENDLESS = 100_000
"""Characters of a line that is never broken: what is piped must keep paths and ids whole."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Print the chain from a cell to its records, spec, data, code and command."""

    cell: str = field(
        metadata={
            "positional": True,
            "help": "<row>.<column> or <row>, e.g. zhang2019.t3.r13.bleu_tok",
        }
    )
    scale: str = field(default="", metadata={"help": "without, that of config.yaml"})
    results: Path | None = field(default=None, metadata={"help": "without, results/<scale>"})
    root: Path = Path()


def main(args: Args) -> None:
    """Stop with a message if no paper prints the cell, or if the settings need mending."""
    scale = {"scale": args.scale} if args.scale else {}
    try:
        config = load_config(args.root / "config.yaml", {**scale, "papers": "all", "rows": "all"})
        results = args.results or args.root / config.results
        asked = {"scale": config.scale, "papers": "all", "rows": "all"}
        plan, ledger = open_ledger(args.root, asked, results)
        place = find(args.cell, plan.papers)
    except ValueError as error:
        sys.exit(str(error))
    known = Known(plan=plan, ledger=ledger, root=args.root, results=results)
    console = Console(highlight=False, width=None if sys.stdout.isatty() else ENDLESS)
    console.print(grow(explain(place, known)))


def grow(branch: Branch) -> Tree:
    """The same as rich draws it."""
    tree = Tree(Text(branch.text))
    tree.children += [grow(part) for part in branch.parts]
    return tree


if __name__ == "__main__":
    main(parse(Args))

"""Tell what the target `all` would cost before anything runs: jobs, bytes, hours, and what fits."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from deepmt.cli import parse
from deepmt.config.settings import load_plan, read_overrides
from deepmt.estimate.outlook import look
from deepmt.estimate.section import WIDTH, show
from deepmt.estimate.sections import sections
from deepmt.estimate.written import write


@dataclass(frozen=True, kw_only=True)
class Args:
    """Print the plan, and write plan.md, plan.json and plan.csv (a line a run)."""

    config: tuple[str, ...] = field(
        default=(), metadata={"help": "as for Snakemake, e.g. scale=paper hardware=h200x8"}
    )
    output: Path | None = field(default=None, metadata={"help": "without, results/<scale>"})
    root: Path = Path()


def main(args: Args) -> None:
    """Stop with a message where the settings are wrong."""
    try:
        plan = load_plan(args.root, read_overrides(args.config))
        found = look(plan, args.root)
    except ValueError as error:
        sys.exit(str(error))
    told = list(sections(found))
    console = Console(width=WIDTH, highlight=False)
    for section in told:
        show(section, console)
    write(found, told, args.output or args.root / plan.config.results)


if __name__ == "__main__":
    main(parse(Args))

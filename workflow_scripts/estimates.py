"""Write the counts of all runs at all scales, which ship with the code."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.config.settings import load_plan, names_in
from deepmt.config.spec import Spec
from deepmt.estimate.counts import SHIPPED, key, shipped, write_shipped
from deepmt.estimate.model_counts import count


@dataclass(frozen=True, kw_only=True)
class Args:
    """Add missing counts to counts.csv, and drop unused ones."""

    anew: bool = False
    output: Path = SHIPPED
    root: Path = Path()


def main(args: Args) -> None:
    """Build the models that are not counted yet, or all with --anew."""
    before = {} if args.anew else shipped()
    specs = {key(spec): spec for spec in every_run(args.root)}
    found = {name: before.get(name) or count(spec) for name, spec in specs.items()}
    write_shipped(found, args.output)


def every_run(root: Path) -> list[Spec]:
    """Return the runs of all rows at all scales."""
    everything = {"papers": "all", "rows": "all"}
    plans = [load_plan(root, {"scale": s} | everything) for s in names_in(root / "scales")]
    return [spec for plan in plans for spec in plan.every_run.values()]


if __name__ == "__main__":
    run(main)

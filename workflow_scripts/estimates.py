"""Write the counts of every run of every scale, which ship with the code."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.config.settings import load_plan, names_in
from deepmt.config.spec import Spec
from deepmt.estimate.counts import SHIPPED, key, shipped, write_shipped
from deepmt.estimate.model_counts import count


@dataclass(frozen=True, kw_only=True)
class Args:
    """Count what counts.csv lacks, and drop what no run needs any more."""

    anew: bool = False
    output: Path = SHIPPED
    root: Path = Path()


def main(args: Args) -> None:
    """Build every model that is not counted yet, or with --anew every one."""
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
    main(parse(Args))

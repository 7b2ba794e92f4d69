"""Write the spec of a run: a paper's row at a scale, complete and validated."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.config.settings import load_plan
from deepmt.files import write_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """Find a run by its name and write its spec as JSON."""

    run: str
    scale: str
    output: Path
    root: Path = Path()


def main(args: Args) -> None:
    """Raise if no row of any paper has this run: papers or scales have changed since."""
    runs = load_plan(args.root, {"scale": args.scale, "papers": "all", "rows": "all"}).every_run
    if args.run not in runs:
        raise ValueError(
            f"no row of papers/*.yaml gives the run {args.run} at the {args.scale} scale any more"
        )
    write_json(args.output, runs[args.run].sections)


if __name__ == "__main__":
    main(parse(Args))

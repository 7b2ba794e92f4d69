"""Write the complete, validated spec of a run, and the counts of its model."""

from dataclasses import asdict, dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.config.settings import load_plan
from deepmt.config.spec import Spec
from deepmt.estimate.counts import ModelCounts, key, shipped
from deepmt.files import write_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """Find a run by its name and write its spec and its counts as JSON."""

    run: str
    scale: str
    output: Path
    estimate: Path
    root: Path = Path()


def main(args: Args) -> None:
    """Write both files.

    Raises:
        ValueError: if no row has this run, because papers or scales have changed.
    """
    runs = load_plan(args.root, {"scale": args.scale, "papers": "all", "rows": "all"}).every_run
    if args.run not in runs:
        raise ValueError(
            f"no row of papers/*.yaml has the run {args.run} at the {args.scale} scale any more"
        )
    write_json(args.output, runs[args.run].sections)
    write_json(args.estimate, asdict(counts(runs[args.run])))


def counts(spec: Spec) -> ModelCounts:
    """Return the shipped counts of a run, or build its model, which needs torch."""
    if known := shipped().get(key(spec)):
        return known
    from deepmt.estimate.model_counts import count

    return count(spec)


if __name__ == "__main__":
    run(main, Args)

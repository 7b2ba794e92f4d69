"""Write the complete, validated spec of a run, and the counts of its model."""

from dataclasses import asdict
from pathlib import Path

from deepmt.cli import run
from deepmt.config.settings import load_plan
from deepmt.config.spec import Spec
from deepmt.estimate.counts import ModelCounts, key, shipped
from deepmt.files import write_json


def main(
    *,
    run: str,
    scale: str,
    output: Path,
    estimate: Path,
    root: Path = Path(),
) -> None:
    # ARGS: Find a run by its name and write its spec and its counts as JSON.
    """Write both files.

    Raises:
        ValueError: if no row has this run, because papers or scales have changed.
    """
    runs = load_plan(root, {"scale": scale, "papers": "all", "rows": "all"}).every_run
    if run not in runs:
        raise ValueError(f"no row of papers/*.yaml has the run {run} at the {scale} scale any more")
    write_json(output, runs[run].sections)
    write_json(estimate, asdict(counts(runs[run])))


def counts(spec: Spec) -> ModelCounts:
    """Return the shipped counts of a run, or build its model, which needs torch."""
    if known := shipped().get(key(spec)):
        return known
    from deepmt.estimate.model_counts import count

    return count(spec)


if __name__ == "__main__":
    run(main)

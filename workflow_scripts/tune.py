"""Rank the trials of systems and choose their learning rates from records."""

from dataclasses import dataclass, field
from pathlib import Path

from deepmt.cli import run
from deepmt.config.settings import load_plan
from deepmt.config.tuning import STAGES
from deepmt.results.csv_lines import write_lines
from deepmt.results.failures import with_collapse
from deepmt.results.records import read_records
from deepmt.results.training_curves import read_training_curves
from deepmt.results.trials import TrialResult, trial_results


@dataclass(frozen=True, kw_only=True)
class Args:
    """Read the records of trials under results/ and in records/."""

    scale: str
    output: Path = field(metadata={"help": "a CSV file with one line for each trial"})
    systems: tuple[str, ...] = field(default=(), metadata={"help": "default: all that are tuned"})
    stages: int = field(default=STAGES, metadata={"help": "after the last one a rate is chosen"})
    root: Path = Path()


def main(args: Args) -> None:
    """Write every trial with its perplexity on dev."""
    plan = load_plan(args.root, {"scale": args.scale, "papers": "unified"})
    results = args.root / plan.config.results
    trained, archive = plan.every_run.values(), args.root / "records"
    records, _ = read_records(results, archive, trained, args.scale)
    curves, _ = read_training_curves(records, archive / "curves", trained, args.scale)
    records = [*with_collapse(records, curves)]
    systems = args.systems or tuple(plan.trials)
    write_lines(TrialResult, trial_results(plan, records, systems, args.stages), args.output)


if __name__ == "__main__":
    run(main, Args)

"""Rank the trials of systems and choose their learning rates from records."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.config.csv_lines import write_lines
from deepmt.config.settings import load_plan
from deepmt.config.tuning import STAGES, TrialResult
from deepmt.results.results import gather
from deepmt.results.trials import trial_results


@dataclass(frozen=True, kw_only=True)
class Args:
    """Read the records of trials under results/ and in records/."""

    scale: str
    output: Annotated[Path, "a CSV file with one line for each trial"]
    systems: Annotated[tuple[str, ...], "default: all that are tuned"] = ()
    stages: Annotated[int, "after the last one a rate is chosen"] = STAGES
    root: Path = Path()


def main(args: Args) -> None:
    """Write every trial with its perplexity on dev."""
    plan = load_plan(args.root, {"scale": args.scale, "papers": "unified"})
    results, _ = gather(plan, args.root, args.root / plan.config.results)
    systems = args.systems or tuple(plan.trials)
    ranked = trial_results(plan, results.records, systems, args.stages)
    write_lines(TrialResult, ranked, args.output)


if __name__ == "__main__":
    run(main, Args)

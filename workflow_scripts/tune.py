"""Rank the trials of systems and choose their learning rates from records."""

from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.config.csv_lines import write_lines
from deepmt.config.plan import load_plan
from deepmt.config.tuning import STAGES, TrialResult
from deepmt.results.results import gather
from deepmt.results.trials import trial_results


def main(
    *,
    scale: str,
    output: Annotated[Path, "a CSV file with one line for each trial"],
    systems: Annotated[tuple[str, ...], "default: all that are tuned"] = (),
    stages: Annotated[int, "after the last one a rate is chosen"] = STAGES,
    root: Path = Path(),
) -> None:
    """Write every trial with its perplexity on dev, from records under results/ and in records/."""
    plan = load_plan(root, {"scale": scale, "papers": "unified", "rows": "all"})
    results = gather(plan, root, root / plan.config.results)
    ranked = trial_results(plan, results.records, systems or tuple(plan.trials), stages)
    write_lines(TrialResult, ranked, output)


if __name__ == "__main__":
    run(main)

"""Print the expected cost of the target `all`: hours and memory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.console import Console

from deepmt.cli import run
from deepmt.config.settings import load_plan, read_overrides
from deepmt.estimate.measured_seeds import measured_seeds
from deepmt.estimate.plan_page import PlanPage, frame
from deepmt.estimate.planned_runs import correct, machines_of, planned_runs, within_budget
from deepmt.files import replacing

WIDTH = 100
"""Line width in characters, for terminals and logs."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Print the plan, and write plan.csv with one line per run."""

    config: Annotated[tuple[str, ...], "as for Snakemake, e.g. scale=paper hardware=h200x8"] = ()
    output: Annotated[Path | None, "default: results/<scale>/plan.csv"] = None
    root: Path = Path()


def main(args: Args) -> None:
    """Print and write the plan."""
    page = planned(args)
    console = Console(width=WIDTH, highlight=False, markup=False)
    for part in page:
        console.print(part)
    with replacing(args.output or args.root / page.plan.config.results / "plan.csv") as temporary:
        frame(page.runs, page.kept).to_csv(temporary, index=False)


def planned(args: Args) -> PlanPage:
    """Return the plan with estimated runs.

    Raises:
        ValueError: if settings are invalid, or nothing is trained.
    """
    plan = load_plan(args.root, read_overrides(args.config))
    if plan.config.from_ == "records":
        raise ValueError("from=records trains nothing, so there is nothing to plan: omit it")
    machines = machines_of(plan, args.root)
    runs = planned_runs(plan, args.root, machines)
    ratios = correct(runs, measured_seeds(args.root / plan.config.results))
    budget = plan.config.budget
    kept = within_budget(runs, budget) if budget else set(runs)
    return PlanPage(plan=plan, machines=machines, runs=runs, kept=kept, ratios=ratios)


if __name__ == "__main__":
    run(main)

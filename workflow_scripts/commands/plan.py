"""Print the expected cost of the target `all`: hours and memory."""

from pathlib import Path
from typing import Annotated

from rich.console import Console

from deepmt.base.cli import run
from deepmt.base.errors import UserError
from deepmt.base.files import replacing
from deepmt.base.printable import say
from deepmt.machines.plan_page import frame, page
from deepmt.machines.planned_runs import machines_of, planned_runs, texts_ahead
from deepmt.study.config_file import read_overrides
from deepmt.study.plan import load_plan

WIDTH = 100
"""Line width in characters, for terminals and logs."""


def main(
    *,
    config: Annotated[tuple[str, ...], "as for Snakemake, e.g. scale=paper hardware=h200x8"] = (),
    output: Annotated[Path | None, "default: results/<scale>/plan.csv"] = None,
    root: Path = Path(),
) -> None:
    """Print the plan, and write plan.csv with one line per run.

    Raises:
        ValueError: if settings are invalid, or nothing is trained.
    """
    plan = load_plan(root, read_overrides(config))
    for sentence in plan.without_effect:
        say(sentence)
    machines = machines_of(plan, root)
    runs = planned_runs(plan, root, machines)
    if not runs:
        raise UserError("these rows train nothing, so there is nothing to plan: choose others")
    console = Console(width=WIDTH, highlight=False, markup=False)
    texts = texts_ahead(runs.values(), root).values()
    for part in page(plan, machines, runs, texts):
        console.print(part)
    with replacing(output or root / plan.config.results / "plan.csv") as temporary:
        frame(runs).to_csv(temporary, index=False)


if __name__ == "__main__":
    run(main)

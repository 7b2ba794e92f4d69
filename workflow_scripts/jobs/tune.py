"""Rank the trials of systems and choose their learning rates from records."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.measured.table import gather
from deepmt.measured.trials import results_of
from deepmt.settings.csv_lines import write_lines
from deepmt.settings.strict import look_up
from deepmt.study.papers import OWN_PAPER
from deepmt.study.plan import load_plan
from deepmt.study.tuning import SEED, STAGES, Stage, TrialResult


def main(
    *,
    scale: str,
    output: Annotated[Path, "a CSV file with one line for each trial"],
    systems: Annotated[tuple[str, ...], "those whose trials must all have a record"] = (),
    stages: Annotated[Stage | None, "rank the first stages of these systems alone"] = None,
    root: Path = Path(),
) -> None:
    """Write every trial with its perplexity on dev, from records under results/ and in records/.

    The trials of all other systems count as far as they have records: a new method needs no other
    one to be tuned again.
    """
    plan = load_plan(root, {"scale": scale, "papers": OWN_PAPER, "rows": "all"})
    for system in systems:
        look_up("system", system, plan.trials, "--systems: ")
    results = gather(plan, root, root / plan.config.results)
    records = {record.run: record for record in results.records if record.seed == SEED}
    ranked = []
    for system in systems if stages else plan.trials:
        complete = system in systems
        ranked += results_of(system, plan, records, stages or STAGES, complete=complete)
    write_lines(TrialResult, ranked, output)


if __name__ == "__main__":
    run(main)

"""Render all results of a scale: cells, tables, figures, claims and the report."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.report.results_folder import write_results
from deepmt.study.plan import load_plan


def main(
    *,
    scale: str,
    papers: tuple[str, ...],
    rows: tuple[str, ...],
    results: Annotated[Path, "results/<scale>"],
    datasets: Annotated[tuple[str, ...], "to describe; those not encoded are left out"] = (),
    root: Path = Path(),
) -> None:
    """Read every record and measurement once, and write everything that shows them.

    Refused records are printed.
    """
    plan = load_plan(root, {"scale": scale, "papers": list(papers), "rows": list(rows)})
    write_results(plan, root, results, datasets)


if __name__ == "__main__":
    run(main)

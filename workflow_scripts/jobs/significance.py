"""Test which rows of a printed table differ by more than chance."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.base.errors import UserError
from deepmt.judge.significance import compare_all
from deepmt.measured.comparisons import RowComparison
from deepmt.measured.results import gather
from deepmt.measured.translations import translations_of
from deepmt.scores.scores import MEASURES
from deepmt.settings.csv_lines import write_lines
from deepmt.study.papers import find_table
from deepmt.study.plan import load_plan


def main(
    *,
    table: Annotated[str, "a table of papers/*.yaml, e.g. liu2020.table3"],
    scale: str,
    results: Annotated[Path, "results/<scale>"],
    output: Annotated[Path, "the pairs, CSV"],
    root: Path = Path(),
    data: Path = Path("data"),
) -> None:
    """Write every pair of systems of a table as CSV, with a note for rows that were not run."""
    key = table.partition(".")[0]
    plan = load_plan(root, {"scale": scale, "papers": [key], "rows": ["all"]})
    [paper] = plan.papers
    printed, known = find_table(paper, table), gather(plan, root, results)
    rows = [row for row in printed.rows if row.system is not None]
    pairs = []
    columns = [c for c in printed.columns.values() if c.measure in MEASURES and not c.splits]
    if not columns:
        raise UserError(f"{table} has no column that can be resampled")
    for column in columns:
        # The first finished seed of each row is compared.
        first = [next(translations_of(row, column, known, results, data)) for row in rows]
        pairs += compare_all(first, column)
    write_lines(RowComparison, pairs, output)


if __name__ == "__main__":
    run(main)

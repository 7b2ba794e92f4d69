"""Test which rows of a printed table differ by more than chance."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.config.csv_lines import write_lines
from deepmt.config.papers import find_table, load
from deepmt.metrics.scores import MEASURES
from deepmt.report.significance import compare_all
from deepmt.report.translations import TextFolders, translations_of
from deepmt.results.comparisons import RowComparison
from deepmt.results.results import read_results


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write every pair of systems of a table as CSV."""

    table: Annotated[str, "a table of papers/*.yaml, e.g. liu2020.table3"]
    results: Annotated[Path, "results/<scale>"]
    output: Annotated[Path, "the pairs, CSV"]
    root: Path = Path()
    data: Path = Path("data")


def main(args: Args) -> None:
    """Write all pairs, with a note for rows that were not run."""
    paper = load(args.root / "papers" / f"{args.table.partition('.')[0]}.yaml")
    table, results = find_table(paper, args.table), read_results(args.results)
    folders = TextFolders(results=args.results, data=args.data)
    rows = [row for row in table.rows if row.system is not None]
    pairs = []
    columns = [c for c in table.columns.values() if c.measure in MEASURES and not c.splits]
    if not columns:
        raise ValueError(f"{table.id} has no column that can be resampled")
    for column in columns:
        # The first finished seed of each row is compared.
        first = [next(translations_of(row, column, results, folders)) for row in rows]
        pairs += compare_all(first, column)
    write_lines(RowComparison, pairs, args.output)


if __name__ == "__main__":
    run(main)

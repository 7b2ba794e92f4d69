"""Write boards.json: which methods train at which depth, here and at every recorded scale."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from deepmt.cli import run
from deepmt.config.papers import load
from deepmt.config.settings import load_plan
from deepmt.files import write_text
from deepmt.report.boards import Board, board
from deepmt.results.cells import Cell, all_cells
from deepmt.results.csv_lines import read_lines
from deepmt.results.results import gather, read_results
from deepmt.results.training_curves import read_curves


@dataclass(frozen=True, kw_only=True)
class Args:
    """Read results/<scale> and the archive of records."""

    results: Path = field(metadata={"help": "results/<scale>, with cells.csv and runs.json"})
    paper: Path = field(metadata={"help": "papers/unified.yaml, or the paper of a user's text"})
    output: Path
    root: Path = Path()


def main(args: Args) -> None:
    """Write the board of this scale, then those of the other recorded scales."""
    here = board_of_results(args.paper, args.results)
    others = [found for found in archived_boards(args.root) if found.scale != here.scale]
    boards = [found for found in (here, *others) if found.tiles]
    write_text(args.output, TypeAdapter(list[Board]).dump_json(boards).decode() + "\n")


def board_of_results(paper: Path, folder: Path) -> Board:
    """Return the board of results/<scale>."""
    curves = read_curves(folder / "curves.csv")
    logged = curves[curves.quantity == "progress.loss"]
    losses = {
        key: list(zip(own["update"], own.value, strict=True))
        for key, own in logged.groupby(["run", "seed"])
    }
    cells = read_lines(Cell, folder / "cells.csv")
    return board(load(paper), read_results(folder), cells, losses)


def archived_boards(root: Path) -> Iterator[Board]:
    """Yield the board of every scale whose rows have scores in the archive; trials have none."""
    scales = {path.name.partition(".")[0] for path in (root / "records").glob("*.jsonl")}
    for scale in sorted(scales):
        requested = {"scale": scale, "papers": "unified", "rows": "all", "from": "records"}
        plan = load_plan(root, requested)
        results, curves = gather(plan, root, root / plan.config.results)
        if not any(record.scores for record in results.records):
            continue
        losses = {
            (one.run, one.seed): list(zip(section["update"], section["loss"], strict=True))
            for one in curves
            for name, section in one.sections()
            if name == "progress"
        }
        [paper] = plan.papers
        found = board(paper, results, all_cells(plan.papers, results), losses)
        if found.tiles:
            yield found


if __name__ == "__main__":
    run(main, Args)

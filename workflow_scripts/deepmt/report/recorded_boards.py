"""Make the boards of results/<scale> and of every scale in records/."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from deepmt.config.papers import Paper
from deepmt.config.settings import load_plan
from deepmt.report.boards import Board, board
from deepmt.results.cells import Cell, all_cells
from deepmt.results.results import Results, gather


def board_of_results(
    paper: Paper, results: Results, cells: Sequence[Cell], curves: pd.DataFrame
) -> Board:
    """Return the board of results/<scale>, from its cells.csv and curves.csv."""
    logged = curves[curves.quantity == "progress.loss"]
    losses = {
        key: list(zip(own["update"], own.value, strict=True))
        for key, own in logged.groupby(["run", "seed"])
    }
    return board(paper, results, cells, losses)


def recorded_boards(root: Path) -> Iterator[Board]:
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
        yield board(paper, results, all_cells(plan.papers, results), losses)

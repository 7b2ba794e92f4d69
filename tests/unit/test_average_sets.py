"""Zhang's mean over newstest2014 to newstest2018."""

from pathlib import Path

import invented
import pytest

import projects
from deepmt.judge.cells import Cell, all_cells
from deepmt.measured.table import gather

ROOT = Path(__file__).parents[2]
ROW = "zhang2019.t6.r6"
YEARS = {"test": 29.0, "newstest2015": 31.0, "newstest2016": 37.0, "newstest2017": 30.0,
         "newstest2018": 40.5}  # fmt: skip


def cell_of_mean(folder: Path, values: dict[str, float]) -> Cell:
    plan = projects.plan(scale="toy", papers="zhang2019")
    spec = plan.specs[ROW]
    scores = {name: {"bleu_tok": {"value": v, "signature": "s"}} for name, v in values.items()}
    invented.write_result(folder, invented.record_of(spec, 1, scores=scores))
    known = gather(plan, ROOT, folder / "results")
    cells = {(cell.row, cell.column): cell for cell in all_cells(plan.papers, known)}
    return cells[ROW, "bleu_tok_14_18"]


def test_it_is_the_mean_of_the_five_scores(tmp_path: Path) -> None:
    cell = cell_of_mean(tmp_path, YEARS)
    assert cell.ours == pytest.approx(sum(YEARS.values()) / 5)
    assert (cell.published, cell.note) == (33.16, "")

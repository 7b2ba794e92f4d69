"""A bad record costs its own number alone: it is refused by file and line, the rest is built."""

import json
from pathlib import Path

import invented
import made_up
import pytest

from deepmt.config.csv_lines import read_lines
from deepmt.results.cells import Cell

ROW, OTHER = "liu2020.t3.a", "liu2020.t3.b"


def test_a_bad_record_is_named_everywhere_and_the_good_one_beside_it_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = made_up.project(tmp_path)
    spec = made_up.plan_of(root, "liu2020").specs[ROW]
    good, other, third = (made_up.record(spec, seed, ()) for seed in (1, 2, 3))
    lines = [invented.line(good).strip(), json.dumps(other | {"train_loss": float("nan")})]
    (root / "records/toy.jsonl").write_text("\n".join([*lines, json.dumps(third)[:500]]))
    results = made_up.render(root, ["liu2020"])
    assert capsys.readouterr().err.count("refused: ") == 2
    page = (results / "report.html").read_text().replace("&#39;", "'")
    for line, fault in ((2, "train_loss"), (3, "not valid JSON")):
        place = page.index(f"{root}/records/toy.jsonl:{line}: ")
        assert fault in page[place : place + 300]
    cells = {(cell.row, cell.column): cell for cell in read_lines(Cell, results / "cells.csv")}
    found = cells[ROW, "bleu"]
    assert (found.status, found.seeds) == ("recorded", 1)
    assert found.ours == good["scores"]["test"]["bleu_tok"]["value"]
    assert f"record refused: {root}/records/toy.jsonl:2: train_loss" in found.note
    assert "record refused: " in (results / "tables/liu2020.md").read_text()
    assert cells[OTHER, "bleu"].note == "no record yet"

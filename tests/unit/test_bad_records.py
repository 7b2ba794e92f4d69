"""A bad record costs its own number alone: it is refused by file and line, the rest is built."""

import json
from pathlib import Path

import invented
import made_up
import pytest

from deepmt.config.csv_lines import read_lines
from deepmt.results.cells import Cell

ROW, OTHER = "liu2020.t3.a", "liu2020.t3.b"
pytestmark = pytest.mark.xdist_group("bad_records")
FAULTS = {
    "nan": (lambda r: json.dumps(r | {"train_loss": float("nan")}), "train_loss"),
    "truncated": (lambda r: json.dumps(r)[:500], "not valid JSON"),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good record, each kind of bad one below it, and all pages made of them by the scripts."""
    root = made_up.project(tmp_path_factory.mktemp("project"))
    specs = made_up.plan_of(root, "liu2020").specs
    lines = [invented.line(made_up.record(specs[ROW], 1, ())).strip()]
    for seed, (spoil, _) in enumerate(FAULTS.values(), 2):
        lines.append(spoil(made_up.record(specs[ROW], seed, ())))
    (root / "records/toy.jsonl").write_text("\n".join(lines))
    made_up.render(root, ["liu2020"])
    return root


def cell(root: Path, row: str) -> Cell:
    [found] = [cell for cell in read_lines(Cell, root / "results/toy/cells.csv") if cell.row == row]
    return found


@pytest.mark.parametrize(("line", "fault"), list(enumerate(FAULTS, 2)))
def test_the_report_names_file_line_and_fault(root: Path, line: int, fault: str) -> None:
    page = (root / "results/toy/report.html").read_text().replace("&#39;", "'")
    place = page.index(f"{root}/records/toy.jsonl:{line}: ")
    assert FAULTS[fault][1] in page[place : place + 300]


def test_the_good_record_beside_them_is_used_alone(root: Path) -> None:
    found = cell(root, ROW)
    assert (found.status, found.seeds) == ("recorded", 1)
    good = json.loads((root / "records/toy.jsonl").read_text().split("\n")[0])
    assert found.ours == good["scores"]["test"]["bleu_tok"]["value"]


def test_rows_without_any_record_are_not_touched(root: Path) -> None:
    assert (cell(root, OTHER).status, cell(root, OTHER).note) == ("not-run", "no record yet")


def test_the_note_of_the_cell_and_the_table_name_the_fault_too(root: Path) -> None:
    said = f"record refused: {root}/records/toy.jsonl:2: train_loss"
    assert said in cell(root, ROW).note
    assert "record refused: " in (root / "results/toy/tables/liu2020.md").read_text()


def test_refusals_go_to_the_error_stream(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made_up.render(root, ["liu2020"])
    assert capsys.readouterr().err.count("refused: ") == len(FAULTS)

"""A bad record costs its own number alone: it is refused by file and line, the rest is built."""

import json
from pathlib import Path
from typing import Any

import invented
import made_up
import pytest

import cells
from deepmt.config.csv_lines import read_lines
from deepmt.results.cells import Cell

ROW, OTHER = "liu2020.t3.a", "liu2020.t3.b"
pytestmark = pytest.mark.xdist_group("bad_records")
FAULTS = {
    "missing-field": (lambda r: json.dumps(without(r, "epochs")), "missing key 'epochs'"),
    "wrong-hash": (lambda r: json.dumps(r | {"spec_sha256": "0" * 64}), "is not the hash of"),
    "nan": (lambda r: json.dumps(r | {"train_loss": float("nan")}), "train_loss"),
    "no-hash": (lambda r: json.dumps(r), "holds no hash of its content"),
    "changed-digit": (
        lambda r: invented.line(r).replace('"parameters": ', '"parameters": 9').strip(),
        "does not have the hash under own_sha256; take it back from git",
    ),
    "perplexity-below-1": (
        lambda r: json.dumps(r | {"perplexities": {"dev": 0.5}}),
        "perplexities.dev: 0.5 must be at least 1",
    ),
    "end-before-start": (
        lambda r: json.dumps(r | {"finished": "2025-12-31T00:00:00+00:00"}),
        "finished: 2025-12-31T00:00:00+00:00 is before",
    ),
    "future": (
        lambda r: json.dumps(r | {"started": "2999-12-31T00:00:00+00:00"}),
        "started: 2999-12-31T00:00:00+00:00 is in the future",
    ),
    "unreadable-time": (lambda r: json.dumps(r | {"started": "yesterday"}), "started: 'yesterday'"),
    "no-such-time": (
        lambda r: json.dumps(r | {"started": "2026-02-30T00:00:00+00:00"}),
        "started: day is out of range",
    ),
    "bleu-250": (lambda r: with_bleu(r, 250), "scores.test.bleu.value: 250 must be at most 100"),
    "bleu-negative": (lambda r: with_bleu(r, -5), "scores.test.bleu.value: -5 must be at least"),
    "bleu-nan": (lambda r: with_bleu(r, float("nan")), "scores.test.bleu.value"),
    "seed-negative": (lambda r: json.dumps(r | {"seed": -1}), "seed: -1 must be at least 0"),
    "repeated": (lambda r: '{"seed": 99, ' + json.dumps(r)[1:], "repeated key 'seed'"),
    "duplicate": (lambda r: invented.line(r | {"seed": 1}).strip(), "is already at"),
    "other-scale": (lambda r: json.dumps(r | {"scale": "paper"}), "scale: paper does not belong"),
    "no-json": (lambda r: "once upon a time", "not valid JSON"),
    "truncated": (lambda r: json.dumps(r)[:500], "not valid JSON"),
}


def with_bleu(record: dict[str, Any], value: float) -> str:
    scores = record["scores"] | {"test": {"bleu": {"value": value, "signature": "s"}}}
    return json.dumps(record | {"scores": scores})


def without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


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


def test_the_faults_are_named_below_the_table(root: Path) -> None:
    text = (root / "results/toy/tables/liu2020.md").read_text()
    assert text.count("record refused: ") >= 4


def test_the_note_of_a_cell_with_a_value_names_the_faults_too(root: Path) -> None:
    note = cell(root, ROW).note
    for line, (_, said) in enumerate(FAULTS.values(), 2):
        if said == "not valid JSON":  # nor is it known of which run
            continue
        assert f"record refused: {root}/records/toy.jsonl:{line}: " in note
        assert said in note


def test_refusals_go_to_the_error_stream(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = {"scale": "toy", "results": root / "results/toy", "root": root}
    cells.main(cells.Args(papers=("liu2020",), rows=("all",), output=root / "again.csv", **args))
    assert capsys.readouterr().err.count("refused: ") == len(FAULTS)

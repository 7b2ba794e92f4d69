"""The archive in git holds one record of each run and seed."""

import json
from pathlib import Path

import pytest
from invented import record

from archive_records import main
from deepmt.results import record_archive as archive


def put(folder: Path, **changes: object) -> None:
    path = folder / "record.json"
    path.write_text(json.dumps(record("p.r1", **changes)))
    main(records=(path,), output=folder / "records")


def lines(folder: Path, name: str = "toy.jsonl") -> list[dict[str, object]]:
    text = (folder / "records" / name).read_text()
    return [json.loads(line) for line in text.split("\n")[:-1]]


def test_a_newer_record_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    put(tmp_path, bleu=10.0)
    put(tmp_path, bleu=20.0)
    [line] = lines(tmp_path)
    assert line["scores"]["test"]["bleu"]["value"] == 20.0


def test_a_file_without_room_for_a_line_is_left_and_the_next_one_begun(
    tmp_path: Path, monkeypatch
) -> None:
    for seed in (1, 2, 3):
        put(tmp_path, seed=seed)
        one = (tmp_path / "records/toy.jsonl").stat().st_size
        monkeypatch.setattr(archive, "MAX_BYTES", 3 * one // 2)
    names = [path.name for path in archive.parts(tmp_path / "records", "toy")]
    assert names == ["toy.jsonl", "toy.2.jsonl", "toy.3.jsonl"]
    assert [line["seed"] for line in lines(tmp_path)] == [1]


@pytest.mark.parametrize("line", ["{", "3", '{"run": "a"}'])
def test_a_damaged_line_is_named_and_nothing_is_changed(tmp_path: Path, line: str) -> None:
    put(tmp_path)
    path = tmp_path / "records/toy.jsonl"
    path.write_text(path.read_text() + line + "\n")
    before = path.read_text()
    with pytest.raises(ValueError, match=r"toy\.jsonl:2: not a record; take the file back"):
        put(tmp_path, seed=2)
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scale": "../../x"}, r"scale: '../../x' is not the name"),
        ({"run": "a\x1b[31m"}, "is not post-2-2-d8-toy"),
        ({"spec_sha256": "0" * 64}, "spec_sha256 is not the hash"),
        ({"schema": "record/9"}, "schema"),
        ({"attempts": []}, "attempts"),
        ({"scores": {"test": {"bleu": {"value": 999.0, "signature": "s"}}}}, "is above 100"),
        ({"hypotheses": {"test": "0" * 64}}, "hyp.test.txt"),
    ],
)
def test_what_a_report_would_refuse_is_not_archived(tmp_path: Path, changes, said: str) -> None:
    put(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.glob("records/**/*.json*")}
    with pytest.raises((ValueError, OSError), match=said):
        put(tmp_path, **({"seed": 2} | changes))
    after = {path: path.read_bytes() for path in tmp_path.glob("records/**/*.json*")}
    assert before == after


def test_a_new_line_is_there_before_an_old_one_goes(tmp_path: Path, monkeypatch) -> None:
    for seed in (1, 2):
        put(tmp_path, seed=seed)
        monkeypatch.setattr(archive, "MAX_BYTES", (tmp_path / "records/toy.jsonl").stat().st_size)
    put(tmp_path, seed=1, bleu=12.0)
    assert [line["seed"] for line in lines(tmp_path)] == [1]
    assert lines(tmp_path)[0]["scores"]["test"]["bleu"]["value"] == 12.0
    assert [line["seed"] for line in lines(tmp_path, "toy.2.jsonl")] == [2]


def test_what_the_log_beside_a_record_says_goes_with_it(tmp_path: Path) -> None:
    look = {"event": "dev", "update": 5, "ppl": 9.5}
    (tmp_path / "log.jsonl").write_text('{"event": "start"}\n' + json.dumps(look) + "\n")
    for seed in (1, 2):
        put(tmp_path, seed=seed)
    assert [line["seed"] for line in lines(tmp_path, "curves/toy.jsonl")] == [1, 2]
    assert lines(tmp_path, "curves/toy.jsonl")[0]["dev"] == {"update": [5], "ppl": [9.5]}


def test_a_record_without_a_log_takes_away_the_curves_of_the_run_before(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"event": "start"}\n')
    put(tmp_path)
    (tmp_path / "log.jsonl").unlink()
    put(tmp_path)
    assert lines(tmp_path, "curves/toy.jsonl") == []

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


def test_a_full_file_is_left_and_the_next_one_begun(tmp_path: Path, monkeypatch) -> None:
    for seed in (1, 2, 3):
        put(tmp_path, seed=seed)
        monkeypatch.setattr(archive, "MAX_BYTES", (tmp_path / "records/toy.jsonl").stat().st_size)
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

"""The shelf in git holds one record of each run and seed."""

import json
from pathlib import Path

from invented import record
from invented_courses import course_of

from deepmt.results import record_archive as shelf
from deepmt.results.record_archive import one_line
from shelve_records import Args, main


def put(folder: Path, **changes: object) -> None:
    path = folder / "record.json"
    path.write_text(json.dumps(record("p.r1", **changes)))
    main(Args(records=(path,), output=folder / "records"))


def lines(folder: Path) -> list[dict[str, object]]:
    text = (folder / "records" / "toy.jsonl").read_text()
    return [json.loads(line) for line in text.split("\n")[:-1]]


def test_seeds_stand_side_by_side(tmp_path: Path) -> None:
    put(tmp_path, seed=1)
    put(tmp_path, seed=2)
    assert [line["seed"] for line in lines(tmp_path)] == [1, 2]


def test_a_newer_record_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    put(tmp_path, bleu=10.0)
    put(tmp_path, bleu=20.0)
    [line] = lines(tmp_path)
    assert line["scores"]["test"]["bleu"]["value"] == 20.0


def test_a_full_file_is_left_and_the_next_one_begun(tmp_path: Path, monkeypatch) -> None:
    for seed in (1, 2, 3):
        put(tmp_path, seed=seed)
        monkeypatch.setattr(shelf, "LARGEST", (tmp_path / "records/toy.jsonl").stat().st_size)
    names = [path.name for path in shelf.parts(tmp_path / "records", "toy")]
    assert names == ["toy.jsonl", "toy.2.jsonl", "toy.3.jsonl"]
    assert [line["seed"] for line in lines(tmp_path)] == [1]


def test_a_newer_record_is_taken_out_of_whichever_file_has_the_older(
    tmp_path: Path, monkeypatch
) -> None:
    put(tmp_path, seed=1)
    monkeypatch.setattr(shelf, "LARGEST", 1)
    put(tmp_path, seed=2)
    put(tmp_path, seed=1, bleu=20.0)
    found = [
        json.loads(line)
        for path in shelf.parts(tmp_path / "records", "toy")
        for line in shelf.lines_of(path)
    ]
    assert [(line["seed"], line["scores"]["test"]["bleu"]["value"] == 20.0) for line in found] == [
        (2, False),
        (1, True),
    ]


def courses(folder: Path) -> list[dict[str, object]]:
    text = (folder / "records" / "courses" / "toy.jsonl").read_text()
    return [json.loads(line) for line in text.split("\n")[:-1]]


def test_the_course_beside_a_record_goes_with_it(tmp_path: Path) -> None:
    for seed in (1, 2):
        (tmp_path / "course.json").write_text(one_line(course_of("p.r1", seed)))
        put(tmp_path, seed=seed)
    assert [course["seed"] for course in courses(tmp_path)] == [1, 2]


def test_a_record_without_a_course_takes_away_that_of_the_run_before(tmp_path: Path) -> None:
    (tmp_path / "course.json").write_text(one_line(course_of("p.r1")))
    put(tmp_path)
    (tmp_path / "course.json").unlink()
    put(tmp_path)
    assert courses(tmp_path) == []

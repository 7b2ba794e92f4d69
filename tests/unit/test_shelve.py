"""The shelf in git holds one record of each run and seed."""

import json
from pathlib import Path

from invented import record

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

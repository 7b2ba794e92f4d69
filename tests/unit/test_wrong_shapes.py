"""A JSON file of ours with another shape is one clear line."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deepmt.config.spec import read_spec
from deepmt.decode.partial_translation import PartialTranslation
from deepmt.estimate import counts
from deepmt.estimate.measured_seeds import measured_seeds
from deepmt.files import json_lines, read_json, write_hashed_json
from tiny import tiny_spec


def estimate(path: Path) -> Any:
    """The counts of a run that ships none."""
    return counts.counts_of(tiny_spec(), path)


READERS: dict[str, Callable[[Path], Any]] = {
    "spec.json": read_spec,
    "estimate.json": estimate,
    "runs/a/seed1/outcome.json": lambda path: list(measured_seeds(path.parents[3])),
}


@pytest.mark.parametrize("text", ["{}", "5", "[]", "null", '"a"', "[" * 50_000])
@pytest.mark.parametrize("name", READERS)
def test_a_file_of_another_shape_is_named_in_one_line(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"\A{re.escape(str(path))}.*\Z"):
        READERS[name](path)


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    write_hashed_json(tmp_path / "outcome.json", {"updates": 5})
    found = read_json(tmp_path / "outcome.json", "run again")
    assert found["updates"] == 5
    with pytest.raises(ValueError, match=r"outcome.json is damaged \(it lacks 'hardware'\); run"):
        found["hardware"]


def test_lines_of_a_log_that_are_no_events_are_skipped() -> None:
    lines = ["{}", "5", "[]", "{", "[" * 50_000, '{"event": "start"}']
    assert list(json_lines("\n".join(lines).encode())) == [{}, {"event": "start"}]


@pytest.mark.parametrize("line", ["{}", "5", "[]", "{"])
def test_a_line_of_an_unfinished_translation_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "part"
    path.write_text(f"{json.dumps({'a': 1})}\n{line}\n")
    with pytest.raises(ValueError, match="part is damaged"):
        PartialTranslation(path, {"a": 1})

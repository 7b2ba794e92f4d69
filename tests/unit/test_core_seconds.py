"""A system costs what its seeds took, or what was timed apart before it has any."""

import json
from pathlib import Path
from typing import Any

import pytest

from deepmt.results.core_seconds import core_seconds, of_seeds

EPYC = {"device": "cpu", "name": "EPYC", "operations": "compiled", "threads": 1}
TRAINED = EPYC | {"precision": "bfloat16", "workers": 1}


def archive(folder: Path, *records: dict[str, Any]) -> Path:
    """Records of runs, and costs of two systems that were timed apart."""
    systems = {name: {"run": name, "core_seconds": 9.0} for name in ("deep", "shallow")}
    (folder / "bench").mkdir()
    timed = {"hardware": EPYC, "systems": systems, "commits": ["abc", "def+"]}
    (folder / "bench/core-seconds.json").write_text(json.dumps(timed))
    (folder / "toy.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    return folder


def seed(
    seconds: float | None, updates: int = 100, commit: str = "abc", **hardware: Any
) -> dict[str, Any]:
    throughput = {} if seconds is None else {"core_seconds": seconds}
    own = {"throughput": throughput, "hardware": TRAINED | hardware}
    return {"run": "deep", "updates": updates, "commit": commit} | own


def test_a_system_costs_the_median_of_its_seeds_and_one_without_seeds_what_was_timed_apart(
    tmp_path: Path,
) -> None:
    found = archive(tmp_path, seed(200.0), seed(100.0), seed(150.0, 50, "def+"), seed(None))
    assert core_seconds(found) == {"deep": 2.0, "shallow": 9.0}
    assert of_seeds(found) == {"deep": 2.0}


@pytest.mark.parametrize(
    "other",
    [
        seed(100.0, name="Xeon"),
        seed(100.0, device="cuda"),
        seed(100.0, earlier=[TRAINED | {"name": "Xeon"}]),
        seed(100.0, commit="abc def+"),
        seed(2.0, updates=19),
    ],
)
def test_a_seed_of_another_machine_or_of_few_updates_says_nothing(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    assert core_seconds(archive(tmp_path, other))["deep"] == 9.0


def test_without_a_machine_that_was_timed_nothing_has_a_cost(tmp_path: Path) -> None:
    found = archive(tmp_path, seed(100.0))
    (found / "bench/core-seconds.json").unlink()
    assert core_seconds(found) == {}

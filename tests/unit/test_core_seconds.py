"""A system costs what was timed on one machine, whatever its seeds took elsewhere."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import projects
from deepmt.measured.core_seconds import core_seconds
from deepmt.settings.spec import Spec


def recipe(**changed: Any) -> Spec:
    spec = projects.plan(papers="unified", rows="all").specs["unified.t1.shallow-post"]
    return replace(spec, training=replace(spec.training, **{"dropout": 0.1} | changed))


SPEC = recipe()


def timed(archive: Path) -> Path:
    systems = {"shallow": {"run": SPEC.run, "core_seconds": 9.0}}
    (archive / "bench").mkdir()
    (archive / "bench/core-seconds.json").write_text(json.dumps({"systems": systems}))
    return archive


@pytest.mark.parametrize(
    ("changed", "cost"),
    [
        ({}, 9.0),
        ({"lr": 0.5}, 9.0),
        ({"dropout": 0.35, "updates": 7000}, 9.0),
        ({"dropout": 0.0}, None),
        ({"optimizer": "muon"}, None),
    ],
)
def test_a_run_costs_what_was_timed_of_the_same_operations(
    tmp_path: Path, changed: dict[str, Any], cost: float | None
) -> None:
    spec = recipe(**changed)
    runs = {one.run: one for one in (SPEC, spec)}
    assert core_seconds(timed(tmp_path), runs).get(spec.run) == cost


def test_without_timings_nothing_has_a_cost(tmp_path: Path) -> None:
    assert core_seconds(tmp_path, {SPEC.run: SPEC}) == {}

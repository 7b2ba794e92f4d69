"""A system costs what was timed on one machine, whatever its seeds took elsewhere."""

import json
from pathlib import Path

from deepmt.measured.core_seconds import core_seconds


def test_a_system_costs_what_was_timed(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    systems = {name: {"run": f"run of {name}", "core_seconds": 9.0} for name in ("deep", "shallow")}
    (tmp_path / "bench/core-seconds.json").write_text(json.dumps({"systems": systems}))
    assert core_seconds(tmp_path) == {"run of deep": 9.0, "run of shallow": 9.0}


def test_without_timings_nothing_has_a_cost(tmp_path: Path) -> None:
    assert core_seconds(tmp_path) == {}

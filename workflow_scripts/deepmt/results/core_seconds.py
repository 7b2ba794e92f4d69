"""Read what an update of each system costs, measured in turn on one core of one processor."""

import json
from pathlib import Path

HOUR = 3600


def core_seconds(archive: Path) -> dict[str, float]:
    """Return the core seconds of an update by run, from bench/core-seconds.json of records/.

    bench/core_seconds.py measures them; the runs' own clocks come from several machines.
    """
    path = archive / "bench/core-seconds.json"
    systems = json.loads(path.read_text())["systems"] if path.exists() else {}
    return {one["run"]: one["core_seconds"] for one in systems.values()}

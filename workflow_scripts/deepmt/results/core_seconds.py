"""Read what an update of each system costs on one core of one processor."""

import json
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from deepmt.files import json_lines

HOUR = 3600
LEAST = 20
"""Updates over which a cost is a mean."""


def core_seconds(archive: Path) -> dict[str, float]:
    """Return the core seconds of an update by run: those of its seeds, or else timed apart."""
    return timed_apart(archive) | of_seeds(archive)


def timed_apart(archive: Path) -> dict[str, float]:
    """Return the costs that bench/core_seconds.py measured, system by system on equal batches."""
    return {one["run"]: one["core_seconds"] for one in _bench(archive)["systems"].values()}


def of_seeds(archive: Path) -> dict[str, float]:
    """Return the median over recorded seeds of process time / updates, by run.

    Seeds count that trained on the machine on which costs were timed apart, with the code of
    `commits` there: processors of one name differ twofold.
    """
    found: dict[str, list[float]] = defaultdict(list)
    bench = _bench(archive)
    for path in sorted(archive.glob("*.jsonl")):
        for record in json_lines(path.read_bytes()):
            seconds, updates = record["throughput"].get("core_seconds"), record["updates"]
            there = bench["hardware"].items() <= record["hardware"].items()
            there &= record["commit"] in bench["commits"] and "earlier" not in record["hardware"]
            if seconds and there and updates >= LEAST:
                found[record["run"]].append(seconds / updates)
    return {run: median(costs) for run, costs in found.items()}


def _bench(archive: Path) -> dict[str, Any]:
    """Return bench/core-seconds.json of records/; without it, nothing says which machine."""
    path = archive / "bench/core-seconds.json"
    found = json.loads(path.read_text()) if path.exists() else {}
    return {"systems": {}, "hardware": {}, "commits": [], **found}

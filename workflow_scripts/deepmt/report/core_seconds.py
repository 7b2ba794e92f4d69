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

    Seeds count that trained on no other processor than the one of the costs that are timed apart.
    """
    found: dict[str, list[float]] = defaultdict(list)
    processor = _bench(archive)["hardware"].items()
    for path in sorted(archive.glob("*.jsonl")):
        for record in json_lines(path.read_bytes()):
            seconds, hardware = record["throughput"].get("core_seconds"), record["hardware"]
            alone = processor <= hardware.items() and "earlier" not in hardware
            if seconds and alone and record["updates"] >= LEAST:
                found[record["run"]].append(seconds / record["updates"])
    return {run: median(costs) for run, costs in found.items()}


def _bench(archive: Path) -> dict[str, Any]:
    """Return bench/core-seconds.json of records/; without it, nothing says which processor."""
    path = archive / "bench/core-seconds.json"
    found: dict[str, Any] = {"systems": {}, "hardware": {"name": None}}
    return json.loads(path.read_text()) if path.exists() else found

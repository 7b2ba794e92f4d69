"""Read what an update of each system costs on one core of one processor."""

from pathlib import Path

from deepmt.base.files import read_json

HOUR = 3600


def core_seconds(archive: Path) -> dict[str, float]:
    """Return the core seconds of an update by run, as bench/core_seconds.py timed them.

    They are of one machine, by turns and on equal batches: the process time of a recorded seed
    depends on what ran beside it, and processors of one name differ twofold.
    """
    path = archive / "bench/core-seconds.json"
    timed = read_json(path, hashed=False)["systems"].values() if path.exists() else ()
    return {one["run"]: one["core_seconds"] for one in timed}

"""Folders of runs as training leaves them, in any state, without training."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from deepmt.status.life import Moment
from deepmt.status.seed import Seed, look
from deepmt.status.tasks import tasks
from deepmt.status.wanted import Wanted
from tiny import tiny_spec

NOW = 2_000_000_000.0
HERE = "here"
UPDATES = 100


@cache
def wanted(seed: int = 1, **changes: Any) -> Wanted:
    """A seed whose weights translate two sets."""
    spec = tiny_spec(**{"training__updates": UPDATES} | changes)
    return Wanted(scale="toy", run=spec.run, seed=seed, spec=spec, sets=("test", "dev"))


def moment(now: float = NOW, locked: frozenset[int] | None = frozenset()) -> Moment:
    """Seen from a host where nobody holds a lock."""
    return Moment(now, False, HERE, locked)


def event(kind: str, attempt: int = 1, **fields: Any) -> dict[str, Any]:
    """A line of log.jsonl."""
    return {"event": kind, "attempt": attempt, "time": NOW, **fields}


def start(attempt: int = 1, host: str = "there") -> dict[str, Any]:
    """What an attempt writes first."""
    return event("start", attempt, host=host, device="cpu", pid=1)


def position(update: int, attempt: int = 1, *, seconds: float = 2.0, **fields: Any) -> Any:
    """Where training stands: so many seconds and 50 tokens an update."""
    told = {"seconds": seconds * update, "target_tokens": 50 * update, "loss": 5.0 - update / 100}
    return event(
        "progress", attempt, update=update, **(told | {"time": NOW + seconds * update} | fields)
    )


def write_log(root: Path, seed: Wanted, *lines: Any, age: float = 5.0) -> Path:
    """A log whose last sign is so many seconds old; bytes are written as they are."""
    log = root / seed.folder / "log.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    whole = [x if isinstance(x, bytes) else json.dumps(x).encode() + b"\n" for x in lines]
    log.write_bytes(b"".join(whole))
    os.utime(log, (NOW - age, NOW - age))
    return log


def make(root: Path, seed: Wanted, until: str, **outcome: Any) -> None:
    """The products of all stages up to one, each an hour old and a second younger than the last."""
    folder = root / seed.folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder.parent / "spec.json").write_text(seed.spec.canonical)
    os.utime(folder.parent / "spec.json", (NOW - 3601, NOW - 3601))
    stages = [task.stage for task in tasks(seed)]
    last = len(stages) - 1 - stages[::-1].index(until)
    for number, task in enumerate(tasks(seed)[: last + 1]):
        product = folder / task.product
        product.parent.mkdir(exist_ok=True)
        product.write_text(json.dumps(an_outcome(**outcome)) if task.stage == "train" else "")
        os.utime(product, (NOW - 3600 + number, NOW - 3600 + number))


def an_outcome(**changes: Any) -> dict[str, Any]:
    """Finished in 250 seconds, 200 of them inside updates."""
    return {
        "outcome": "finished",
        "diverged": None,
        "updates": UPDATES,
        "train_loss": 2.5,
        "train_seconds": 200.0,
        "started": "2026-01-01T00:00:00+00:00",
        "finished": "2026-01-01T00:04:10+00:00",
        "attempts": 1,
    } | changes


def write_stage_log(root: Path, seed: Wanted, stage: str, text: str, age: float) -> None:
    """What a job of a stage said, so many seconds ago."""
    task = next(task for task in tasks(seed) if task.stage == stage)
    (root / task.log).parent.mkdir(parents=True, exist_ok=True)
    (root / task.log).write_text(text)
    os.utime(root / task.log, (NOW - age, NOW - age))


def see(root: Path, seed: Wanted, **how: Any) -> Seed:
    """How it stands at NOW."""
    return look(root, seed, moment(**how))

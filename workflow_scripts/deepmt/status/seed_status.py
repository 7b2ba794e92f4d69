"""Determine the state of every seed below results/ from its log.jsonl."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deepmt.status.training_log import TrainingProgress, read_progress

State = Literal["running", "failed", "stopped", "waiting", "diverged", "finished"]
STATES: tuple[State, ...] = ("running", "failed", "stopped", "waiting", "diverged", "finished")
"""All states, in display order."""
SILENCE = 600.0
"""Seconds without a new line after which a run is considered failed."""
SILENT_UPDATES = 30
"""Runs with slow updates are allowed the time of this many updates instead."""


@dataclass(frozen=True, kw_only=True)
class SeedStatus:
    """Hold the state of one seed; a waiting seed has no progress."""

    scale: str
    run: str
    seed: int
    state: State
    progress: TrainingProgress | None = None
    age: float = 0.0
    """Seconds since the log was last written."""


def survey(root: Path, scale: str = "*") -> list[SeedStatus]:
    """Read every seed of a scale; return those that need attention first."""
    now = time.time()
    folders = sorted(root.glob(f"results/{scale}/runs/*/seed*"))
    found = [
        read_seed(folder, now) for folder in folders if folder.name.removeprefix("seed").isdigit()
    ]
    return sorted(found, key=lambda seed: STATES.index(seed.state))


def read_seed(folder: Path, now: float) -> SeedStatus:
    """Read the folder of a seed, results/<scale>/runs/<run>/seed<k>."""
    scale, run, seed = folder.parts[-4], folder.parts[-2], int(folder.name.removeprefix("seed"))
    try:
        progress = read_progress(folder / "log.jsonl")
    except FileNotFoundError:
        return SeedStatus(scale=scale, run=run, seed=seed, state="waiting")
    age = max(0.0, now - progress.changed)
    state = training_state(progress, age)
    return SeedStatus(scale=scale, run=run, seed=seed, state=state, progress=progress, age=age)


def training_state(progress: TrainingProgress, age: float) -> State:
    """Return the state of a run, from its last event and the age of its log in seconds."""
    last = progress.last_event
    if last.get("event") == "end":
        return "diverged" if last["outcome"] == "diverged" else "finished"
    if last.get("event") == "stopped":
        return "stopped"
    patience = max(SILENCE, SILENT_UPDATES * (progress.update_seconds or 0.0))
    return "running" if age < patience else "failed"

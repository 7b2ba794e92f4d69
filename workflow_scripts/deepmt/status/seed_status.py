"""Determine the state of every seed below results/ from its log.jsonl."""

import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from deepmt.results.attempts import events_of, sections
from deepmt.results.collapse import collapse
from deepmt.status.training_log import TrainingProgress, read_progress

State = Literal[
    "running", "failed", "stopped", "waiting", "diverged", "stalled", "collapsed", "finished"
]
"""In display order."""
STATES: tuple[State, ...] = get_args(State)
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
    reason: str = ""
    """Why it did not finish."""


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
    reason = progress.last_event.get("reason", "")
    if state == "finished" and (found := collapsed(folder / "log.jsonl", progress.changed)):
        state, reason = "collapsed", f"since update {found[0]}: {found[1]}"
    return SeedStatus(
        scale=scale, run=run, seed=seed, state=state, progress=progress, age=age, reason=reason
    )


@cache
def collapsed(log: Path, changed: float) -> tuple[int, str] | None:
    """Return since when and why the run of a log has collapsed, if it has.

    A log is read again only if it has changed.
    """
    return collapse(sections(events_of(log.read_bytes())))


def training_state(progress: TrainingProgress, age: float) -> State:
    """Return the state of a run, from its last event and the age of its log in seconds."""
    last = progress.last_event
    if last.get("event") == "end":
        return last["outcome"]
    if last.get("event") == "stopped":
        return "stopped"
    patience = max(SILENCE, SILENT_UPDATES * (progress.update_seconds or 0.0))
    return "running" if age < patience else "failed"

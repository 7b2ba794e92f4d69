"""Read the progress, speed and end of a run from its log.jsonl."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path

from deepmt.results.attempts import Event, events_of

TAIL = 1 << 15
"""Bytes to read from the end: dozens of lines, i.e. the last minutes of a run."""
START = b'{"event": "start"'
EVALUATION_SECONDS = 60.0
"""Time allowed for evaluation between two lines, in addition to ten times the updates."""


@dataclass(frozen=True, kw_only=True)
class TrainingProgress:
    """Hold the progress of a run; unknown values are None or empty."""

    changed: float
    """Time at which the log was last written."""
    last_event: Event
    update: int
    updates: int | None
    """Updates of the whole run."""
    loss: float | None
    update_seconds: float | None
    tokens_per_second: float | None
    host: str

    @property
    def remaining(self) -> float | None:
        """Return the remaining seconds at the current speed."""
        if self.update_seconds is None or self.updates is None:
            return None
        return max(0, self.updates - self.update) * self.update_seconds


def read_progress(log: Path) -> TrainingProgress:
    """Read a log; skip incomplete lines and unknown events.

    Raises:
        FileNotFoundError: if training has not started.
    """
    with log.open("rb") as file:
        text = file.read()
        # From the open file: on NFS, a path may return attributes a minute old.
        changed = os.fstat(file.fileno()).st_mtime
    events = list(events_of(text[text.rfind(b"\n", 0, max(0, len(text) - TAIL)) + 1 :]))
    start = next(events_of(text[max(0, text.rfind(START)) :].split(b"\n", 1)[0]), {})
    update, loss = last_update(events)
    seconds, tokens = pace(events)
    return TrainingProgress(
        changed=changed,
        last_event=events[-1] if events else {},
        update=update,
        updates=start.get("updates"),
        loss=loss,
        update_seconds=seconds,
        tokens_per_second=tokens,
        host=str(start.get("host", "")),
    )


def last_update(events: Sequence[Event]) -> tuple[int, float | None]:
    """Return the last update and loss.

    The last line counts, since a resumed attempt repeats the updates after its checkpoint.
    """
    update, loss = 0, None
    for event in events:
        if event["event"] == "anew":
            update, loss = 0, None
        if isinstance(found := event.get("update"), int):
            update = found
        if isinstance(found := event.get("loss"), int | float):
            loss = float(found) if isfinite(found) else None
    return update, loss


def pace(events: Sequence[Event]) -> tuple[float | None, float | None]:
    """Return wall-clock seconds per update, and target tokens per second."""
    keys = ("attempt", "update", "target_tokens", "seconds", "time")
    known = [e for e in events if all(isinstance(e.get(key), int | float) for key in keys)]
    wall, updates, tokens = 0.0, 0, 0
    for before, after in pairwise(known):
        if before["attempt"] == after["attempt"] and before["update"] < after["update"]:
            wall += wall_seconds(before, after)
            updates += after["update"] - before["update"]
            tokens += after["target_tokens"] - before["target_tokens"]
    return (wall / updates, tokens / wall) if wall > 0 else (None, None)


def wall_seconds(before: Event, after: Event) -> float:
    """Return the wall-clock seconds between two lines.

    `time` is the clock, which may be set; `seconds` counts time spent in updates only. If the two
    differ too much, the clock was set or the machine slept, and `seconds` is used.
    """
    inside = float(after["seconds"] - before["seconds"])
    outside = float(after["time"] - before["time"])
    return outside if inside <= outside <= 10 * inside + EVALUATION_SECONDS else inside

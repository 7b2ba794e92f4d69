"""Reads how far a training is, how fast it goes and how it ended from its log.jsonl."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

Event = dict[str, Any]
TAIL = 1 << 15
"""Bytes: dozens of lines, hence the last minutes of a run."""
START = b'{"event": "start"'
EVALUATION_SECONDS = 60.0
"""Time that evaluating the dev set may take between two lines, besides ten times the updates."""


@dataclass(frozen=True, kw_only=True)
class TrainingProgress:
    """The state that a log shows; unknown values are None or empty."""

    changed: float
    """When the log was last written."""
    last_event: Event
    update: int
    updates: int | None
    """Updates of the whole training."""
    loss: float | None
    update_seconds: float | None
    tokens_per_second: float | None
    host: str

    @property
    def remaining(self) -> float | None:
        """Return the seconds of training left at the present pace."""
        if self.update_seconds is None or self.updates is None:
            return None
        return max(0, self.updates - self.update) * self.update_seconds


def read_progress(log: Path) -> TrainingProgress:
    """Read a log; skip torn lines and unknown events.

    Raises:
        FileNotFoundError: training has not begun.
    """
    with log.open("rb") as file:
        text = file.read()
        # Asked of the open file: on NFS, a name may show what was true a minute ago.
        changed = os.fstat(file.fileno()).st_mtime
    events = list(parse(text[text.rfind(b"\n", 0, max(0, len(text) - TAIL)) + 1 :]))
    start = next(parse(text[max(0, text.rfind(START)) :].split(b"\n", 1)[0]), {})
    update, loss = position(events)
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


def parse(text: bytes) -> Iterator[Event]:
    """Yield the whole events of a log: a killed writer may have left half a line."""
    for line in text.split(b"\n"):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and isinstance(event.get("event"), str):
            yield event


def position(events: Sequence[Event]) -> tuple[int, float | None]:
    """Return the last update and loss.

    A resumed attempt repeats the updates after its checkpoint, so the last line counts.
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
    """Return wall seconds per update, and target tokens per second."""
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
    """Return the time between two lines.

    `time` is a clock that may be set; `seconds` is a stopwatch that counts updates only. Where the
    two are too far apart, the clock was set or the machine slept.
    """
    inside = float(after["seconds"] - before["seconds"])
    outside = float(after["time"] - before["time"])
    return outside if inside <= outside <= 10 * inside + EVALUATION_SECONDS else inside

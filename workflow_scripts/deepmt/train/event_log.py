"""Log a run: events in log.jsonl, and a progress line every few seconds."""

import errno
import json
import os
import time
from pathlib import Path
from typing import Any

from deepmt.base.files import json_lines, naming
from deepmt.base.printable import say

SECONDS_BETWEEN_LINES = 10.0


class EventLog:
    """Append events to log.jsonl, one JSON object per line, each with the number of the attempt.

    If `writes` is false, nothing is written: only one of several workers writes.
    """

    def __init__(self, path: Path, *, writes: bool = True) -> None:
        self.path = path
        self.writes = writes
        self.attempt = 0
        if not writes:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        # Kept open: if the file system is unmounted, no line goes to the folder beneath it.
        self.file = path.open("ab+", buffering=0)
        if self.file.tell():
            self.file.seek(-1, os.SEEK_END)
            if self.file.read(1) != b"\n":  # of a killed writer; later events stay readable
                self.file.write(b"\n")
        self.attempt = 1 + sum(event["event"] == "start" for event in self.events())

    def events(self) -> list[dict[str, Any]]:
        """Return all complete events so far, of which only the kind is sure: lines are damaged."""
        lines = json_lines(self.path.read_bytes()) if self.path.exists() else ()
        return [line for line in lines if "event" in line]

    def starts(self) -> list[float]:
        """Return when each attempt began since the training last began anew, where that is told."""
        found: list[float] = []
        for event in self.events():
            if event["event"] == "anew":
                del found[:-1]
            when = event.get("time")
            if event["event"] == "start" and isinstance(when, float) and 0 < when <= time.time():
                found.append(when)
        return found

    def write(self, event: str, **fields: Any) -> None:
        """Append one event in a single write, so that lines of two processes never mix."""
        if not self.writes:
            return
        line = {"event": event, "attempt": self.attempt, "time": round(time.time(), 3), **fields}
        data = json.dumps(line).encode() + b"\n"
        with naming(self.path):
            if self.file.write(data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class ProgressLine:
    """Print run, update, loss, speed and remaining time every few seconds."""

    def __init__(self, name: str, updates: int) -> None:
        self.name = name
        self.updates = updates
        self.began = self.shown = time.monotonic()
        self.first: tuple[int, int] | None = None

    def show(self, update: int, loss: float, tokens: int, *, last: bool = False) -> bool:
        """Print a line if one is due; return True if it was printed."""
        now = time.monotonic()
        if self.first is None:
            self.first, self.began = (update, tokens), now
        if not last and now - self.shown < SECONDS_BETWEEN_LINES:
            return False
        self.shown = now
        passed = max(now - self.began, 1e-9)
        done = update - self.first[0]
        rate = (tokens - self.first[1]) / passed
        remaining = passed / done * (self.updates - update) if done else 0.0
        say(
            f"{self.name}  update {update}/{self.updates}  loss {loss:.3f}  "
            f"{rate:,.0f} tokens/s  {remaining / 60:.1f} min left"
        )
        return True

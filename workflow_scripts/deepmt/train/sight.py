"""What a user sees of a run while it trains, and the log that stays."""

import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

SECONDS_BETWEEN_LINES = 10.0


class Log:
    """log.jsonl: one JSON object an event, appended, each with the number of the attempt."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._close_broken_line()
        self.attempt = 1 + sum(event["event"] == "start" for event in self.events())

    def _close_broken_line(self) -> None:
        # A killed writer may leave half a line; ending it keeps every later event readable.
        if self.path.exists() and self.path.stat().st_size:
            with self.path.open("rb+") as handle:
                handle.seek(-1, 2)
                if handle.read(1) != b"\n":
                    handle.write(b"\n")

    def events(self) -> list[dict[str, Any]]:
        """All whole events so far."""
        if not self.path.exists():
            return []
        found = []
        for line in self.path.read_bytes().split(b"\n"):
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found

    def write(self, event: str, **fields: Any) -> None:
        """Append one event; a single write, so that lines of two processes never mix."""
        line = {"event": event, "attempt": self.attempt, "time": round(time.time(), 3), **fields}
        with self.path.open("ab", buffering=0) as handle:
            handle.write(json.dumps(line).encode() + b"\n")


class ProgressLine:
    """Now and then one line: run, update, loss, speed, time left."""

    def __init__(self, name: str, updates: int) -> None:
        self.name = name
        self.updates = updates
        self.began = self.shown = time.monotonic()
        self.first: tuple[int, int] | None = None

    def show(self, update: int, loss: float, tokens: int, *, last: bool = False) -> bool:
        """Print if it is time; tell whether it was."""
        now = time.monotonic()
        if self.first is None:
            self.first, self.began = (update, tokens), now
        if not last and now - self.shown < SECONDS_BETWEEN_LINES:
            return False
        self.shown = now
        passed = max(now - self.began, 1e-9)
        done = update - self.first[0]
        rate = (tokens - self.first[1]) / passed
        left = passed / done * (self.updates - update) if done else 0.0
        say(
            f"{self.name}  update {update}/{self.updates}  loss {loss:.3f}  "
            f"{rate:,.0f} tokens/s  left {left / 60:.1f} min"
        )
        return True


def say(line: str) -> None:
    """Tell the user; that nobody listens any more is no reason to stop working."""
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)

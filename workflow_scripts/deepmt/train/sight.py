"""What is seen of a run while it trains, and the log that stays."""

import errno
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

SECONDS_BETWEEN_LINES = 10.0
DIGITS = 5
"""Significant ones of what is seen: more would not show in any figure."""


@dataclass(frozen=True, kw_only=True)
class Sight:
    """Something to look at every so many updates: what it is called in the log, and how to look."""

    name: str
    every: int
    look: Callable[[nn.Module], dict[str, Any]]
    of_gradients: bool = False
    """Whether it looks at gradients, between the backward pass and the step."""
    begin: Callable[[nn.Module], None] | None = None
    """What has to be done before the gradient of an update that is looked at."""
    at_last: int = 0
    """An update that is looked at in any case."""

    def due(self, update: int) -> bool:
        """Whether to look at this update."""
        return update % self.every == 0 or update == self.at_last


def rounded(value: Any) -> Any:
    """Numbers, in lists or mappings of any depth, to so many digits that a line stays short."""
    if isinstance(value, dict):
        return {key: rounded(child) for key, child in value.items()}
    if isinstance(value, list):
        return [rounded(child) for child in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


class Log:
    """log.jsonl: one JSON object an event, appended, each with the number of the attempt.

    `board`, a TensorBoard SummaryWriter, gets the numbers too; nothing is written where `writes` is
    false: one process of several does.
    """

    def __init__(self, path: Path, board: Any = None, *, writes: bool = True) -> None:
        self.path = path
        self.board = board
        self.writes = writes
        self.attempt = 0
        if not writes:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        self._close_broken_line()
        # Kept open: when the file system is lost, no line goes to what lies under it.
        self.file = path.open("ab", buffering=0)
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
        if not self.writes:
            return
        line = {"event": event, "attempt": self.attempt, "time": round(time.time(), 3), **fields}
        data = json.dumps(line).encode() + b"\n"
        if self.file.write(data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        if self.board is not None and "update" in fields:
            for key, value in fields.items():
                if isinstance(value, int | float):
                    self.board.add_scalar(f"{event}/{key}", value, fields["update"])


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

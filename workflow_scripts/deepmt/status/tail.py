"""The end of a log.jsonl, without reading all of it: a long run's log has tens of megabytes."""

import json
import os
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from deepmt.results.attempts import Event

TAIL = 1 << 15
"""Bytes: dozens of lines, and so minutes of a run."""
BLOCK = 1 << 12


@dataclass(frozen=True)
class Tail:
    """The last events of a log."""

    events: tuple[Event, ...] = ()
    opening: Event | None = None
    """The `start` of the last attempt, which may lie far before."""
    changed: float = 0.0
    """When something was written last, by the clock of the file system."""

    @property
    def last(self) -> str:
        """Kind of the last event."""
        return str(self.events[-1]["event"]) if self.events else ""


def read_tail(path: Path) -> Tail:
    """The end of a log; lines that are torn, and whatever is not an event, are passed over.

    Raises:
        FileNotFoundError: there is no log.
    """
    with path.open("rb") as file:
        # Asked of the open file: on NFS a name alone may show what was true a minute ago.
        status = os.fstat(file.fileno())
        begin = max(0, status.st_size - TAIL)
        file.seek(begin)
        lines = file.read(TAIL).split(b"\n")[1 if begin else 0 :]
        events = tuple(event for line in lines if (event := parse(line)) is not None)
        if not events:
            return Tail(changed=status.st_mtime)
        attempt = events[-1]["attempt"]
        starts = [e for e in events if e["event"] == "start" and e["attempt"] == attempt]
        opening = starts[-1] if starts else find_start(file, begin, attempt)
    return Tail(events, opening, status.st_mtime)


def parse(line: bytes) -> Event | None:
    """An event, if a line holds a whole one."""
    try:
        event: Event = json.loads(line)
        whole = isinstance(event["attempt"], int) and isinstance(event.get("update", 0), int)
        told = isinstance(event["event"], str) and isinstance(event["time"], int | float)
        return event if whole and told else None
    except (ValueError, TypeError, KeyError):
        return None


def find_start(file: BinaryIO, end: int, attempt: int) -> Event | None:
    """The `start` of an attempt, by bisection: the numbers of attempts never fall."""

    def attempt_from(offset: int) -> int:
        event = _next(file, offset)
        return attempt if event is None else int(event["attempt"])

    blocks = range(0, end, BLOCK)
    block = bisect_left(blocks, attempt, key=attempt_from)
    file.seek(max(0, block - 1) * BLOCK)
    while file.tell() < end:
        event = parse(file.readline())
        if event is not None and event["attempt"] == attempt:
            return event if event["event"] == "start" else None
    return None


def _next(file: BinaryIO, offset: int) -> Event | None:
    """The first whole event after an offset."""
    file.seek(offset)
    file.readline()
    while line := file.readline():
        if (event := parse(line)) is not None:
            return event
    return None

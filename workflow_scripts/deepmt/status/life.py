"""Whether somebody is still at work in a folder: how long ago it showed, and who holds its lock."""

import os
import socket
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

LOCKS = Path("/proc/locks")
FAR, NEAR = 600.0, 60.0
"""Seconds of silence after which a process is given up: on another host, and on this one, where a
living one is seen to hold its lock."""
UPDATES_OF_SILENCE = 30
"""Whoever needs long for an update is given time for some."""


@dataclass(frozen=True)
class Moment:
    """Now, and who is seen to be alive on this host."""

    now: float
    """By the clock that stamps the files."""
    own_clock: bool
    """Whether that is only this host's clock, since nothing can be written there."""
    host: str
    locked: frozenset[int] | None
    """Inodes of files that somebody on this host has locked; None where it cannot be known."""

    def since(self, stamp: float) -> float:
        """Seconds; nothing is from the future, whatever clocks were set."""
        return max(0.0, self.now - stamp)

    def holds(self, lock: Path) -> bool:
        """Whether somebody on this host is seen to hold a lock."""
        try:
            return self.locked is not None and lock.stat().st_ino in self.locked
        except FileNotFoundError:
            return False

    def patience(self, host: str | None, update_seconds: float) -> float:
        """Seconds of silence that say nothing yet; with a lock that is held, there is no limit."""
        near = self.locked is not None and host == self.host
        return (NEAR if near else FAR) * max(1.0, update_seconds * UPDATES_OF_SILENCE / FAR)


def moment(folder: Path) -> Moment:
    """Now, in a folder.

    A file's age is the difference of two stamps of one clock: its own, and that of a file without a
    name that is made there and vanishes at once. The clock of this host may differ from the file
    server's, and those of the hosts that train from both.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as fresh:
            now, own_clock = os.fstat(fresh.fileno()).st_mtime, False
    except OSError:
        now, own_clock = time.time(), True
    return Moment(now, own_clock, socket.gethostname(), locked())


def locked() -> frozenset[int] | None:
    """Inodes of locked files, as the kernel lists them: asking for a lock could disturb a start."""
    try:
        return frozenset(inodes(LOCKS.read_text().splitlines()))
    except OSError:
        return None


def inodes(lines: Iterable[str]) -> list[int]:
    """From lines such as `1: FLOCK  ADVISORY  WRITE 9604 fe:00:2162713 0 EOF`."""
    places = [word for line in lines for word in line.split() if word.count(":") == 2]
    return [int(place.rsplit(":", 1)[1]) for place in places]

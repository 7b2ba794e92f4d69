"""Tells whether a process is still training in a folder, by its lock and the age of its log."""

import os
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

LOCKS = Path("/proc/locks")
REMOTE_SILENCE, LOCAL_SILENCE = 600.0, 60.0
"""Seconds without a sign after which a process is given up, on another host and on this one, where
the lock of a living process is visible."""
SILENT_UPDATES = 30
"""A run with slow updates is given the time of this many instead."""


@dataclass(frozen=True)
class Observer:
    """The current time, and the locks that this host can see."""

    now: float
    """By the clock that stamps the files: the hosts' own clocks may differ."""
    host: str
    locked: frozenset[int] | None
    """Inodes of locked files; None where the kernel does not list them."""

    def age(self, stamp: float) -> float:
        """Return the seconds since a time stamp, 0 for one from the future."""
        return max(0.0, self.now - stamp)

    def holds(self, lock: Path) -> bool:
        """Check whether a process on this host holds a lock."""
        try:
            return self.locked is not None and lock.stat().st_ino in self.locked
        except FileNotFoundError:
            return False

    def patience(self, host: str, update_seconds: float) -> float:
        """Return the seconds of silence that prove nothing yet."""
        local = self.locked is not None and host == self.host
        slow = max(1.0, SILENT_UPDATES * update_seconds / REMOTE_SILENCE)
        return (LOCAL_SILENCE if local else REMOTE_SILENCE) * slow


def observe(folder: Path) -> Observer:
    """Take the time of a folder's file system from an unnamed file, and list this host's locks."""
    try:
        with tempfile.TemporaryFile(dir=folder) as fresh:
            now = os.fstat(fresh.fileno()).st_mtime
    except OSError:
        now = time.time()
    return Observer(now, socket.gethostname(), locked_inodes())


def locked_inodes() -> frozenset[int] | None:
    """Read lines such as `1: FLOCK  ADVISORY  WRITE 9604 fe:00:2162713 0 EOF`.

    Asking for a lock instead could make a training that starts right now fail.
    """
    try:
        words = LOCKS.read_text().split()
    except OSError:
        return None
    return frozenset(int(word.rsplit(":", 1)[1]) for word in words if word.count(":") == 2)

"""Work in a folder that does not outlive its process."""

import fcntl
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

OF_TEXT = "text-"
"""Prefix of the folders in which a user's text is prepared."""


@contextmanager
def scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a hidden folder that is removed at the end; remove those that killed processes left."""
    remove_left(parent, prefix)
    ended = {number: signal.signal(number, _end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        with _alone(parent):
            made = tempfile.TemporaryDirectory(dir=parent, prefix=f".{prefix}", suffix=".tmp")
            _lock(Path(made.name))
        with made as name:
            yield Path(name)
    finally:
        for number, before in ended.items():
            signal.signal(number, before)


def remove_left(parent: Path, prefix: str) -> None:
    """Remove the folders that killed processes left; one is locked as long as its process lives."""
    if any(parent.glob(f".{prefix}*.tmp")):
        with _alone(parent):
            for left in filter(_lock, parent.glob(f".{prefix}*.tmp")):
                shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Let no other process remove a folder that is made, and not yet locked."""
    handle = os.open(parent, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _end(number: int, _: object) -> None:
    """Exit by an exception, which removes the folder."""
    sys.exit(128 + number)


def _lock(folder: Path) -> bool:
    """Lock a folder until this process ends; return False if another one has, or none can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return False
    return True

"""Work in a folder that does not outlive its process."""

import fcntl
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a hidden folder that is removed at the end; remove those that killed processes left.

    A folder is locked as long as its process lives.
    """
    for left in parent.glob(f".{prefix}*.tmp"):
        if _lock(left):
            shutil.rmtree(left, ignore_errors=True)
    ended = {number: signal.signal(number, _end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        with tempfile.TemporaryDirectory(dir=parent, prefix=f".{prefix}", suffix=".tmp") as name:
            _lock(Path(name))
            yield Path(name)
    finally:
        for number, before in ended.items():
            signal.signal(number, before)


def _end(number: int, _: object) -> None:
    """Exit by an exception, which removes the folder."""
    sys.exit(128 + number)


def _lock(folder: Path) -> bool:
    """Lock a folder until this process ends; return False if another one has, or none can."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return False
    return True

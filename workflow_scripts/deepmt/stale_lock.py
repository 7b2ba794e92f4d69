"""Unlock a folder that a killed `make` left locked.

Snakemake locks the files that it makes and does not record which process did. So each of its main
processes holds a file `.snakemake/running/<process>.<start>@<host>`, which says if `make` started
it. The operating system releases that file whatever ends the process.
"""

import atexit
import fcntl
import os
import socket
import sys
import time
from functools import cache
from pathlib import Path

MAKE = "make"


@cache
def register(folder: Path, starter: str) -> None:
    """Hold a file for the life of this process, and unlock `folder` after a `make` that was killed.

    Only `make` unlocks, and only if all other processes recorded were started by `make` on this
    host and are gone. Jobs of others may still run, on a cluster for instance.
    """
    locks = [*(folder / ".snakemake/locks").glob("*.lock")]
    own = _hold(folder / ".snakemake/running", starter)
    others = [path for path in own.parent.glob("[!.]*") if path != own]
    gone = {path: by for path in others if (by := _starter_if_gone(path)) is not None}
    if locks and len(gone) == len(others) and {starter, *gone.values()} == {MAKE} and gone:
        for lock in locks:
            lock.unlink(missing_ok=True)
        names = ", ".join(path.name.partition(".")[0] for path in gone)
        print(f"unlocked: make was killed here (process {names})", file=sys.stderr)
        locks = []
    if not locks:
        for path in gone:
            path.unlink(missing_ok=True)


def _hold(running: Path, starter: str) -> Path:
    running.mkdir(parents=True, exist_ok=True)
    name = f"{os.getpid()}.{time.time_ns()}@{socket.gethostname()}"
    # It gets its name when it is locked: before that it would seem to be of a process that is gone.
    unlocked = running / f".{name}"
    file = os.open(unlocked, os.O_RDWR | os.O_CREAT, 0o644)
    fcntl.flock(file, fcntl.LOCK_EX)
    os.write(file, starter.encode())
    own = unlocked.rename(running / name)
    atexit.register(own.unlink, missing_ok=True)
    return own


def _starter_if_gone(path: Path) -> str | None:
    if path.name.partition("@")[2] != socket.gethostname():
        return None
    try:
        with path.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file.read()
    except OSError:
        return None

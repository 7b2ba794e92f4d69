"""A lock is removed only where nothing but a killed `make` of this host can have left it."""

import fcntl
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import combinations
from pathlib import Path

import pytest

from deepmt.stale_lock import register

HERE, ELSEWHERE = socket.gethostname(), "another.host"
RECORDS = {
    f"1.1@{HERE}": ("make", "gone"),
    f"2.2@{HERE}": ("make", "gone"),
    f"3.3@{HERE}": ("", "gone"),
    f"4.4@{HERE}": ("make", "alive"),
    f"5.5@{HERE}": ("", "alive"),
    f"6.6@{ELSEWHERE}": ("make", "unknown"),
}
"""What earlier processes left: who started each, and what has become of it."""


def subsets() -> Iterator[tuple[str, ...]]:
    for size in range(3):
        yield from combinations(RECORDS, size)


def running(folder: Path, names: tuple[str, ...], alive: ExitStack) -> Path:
    """Lay down the records and hold those of processes that are alive."""
    records = folder / ".snakemake/running"
    records.mkdir(parents=True)
    for name in names:
        starter, state = RECORDS[name]
        file = alive.enter_context((records / name).open("w"))
        file.write(starter)
        file.flush()
        if state == "alive":
            fcntl.flock(file, fcntl.LOCK_EX)
    return records


@pytest.mark.parametrize("starter", ["make", ""])
@pytest.mark.parametrize("locked", [True, False])
def test_only_killed_makes_of_this_host_are_unlocked(
    tmp_path: Path, starter: str, locked: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, names in enumerate(subsets()):
        folder = tmp_path / str(number)
        lock = folder / ".snakemake/locks/0.output.lock"
        with ExitStack() as alive:
            records = running(folder, names, alive)
            lock.parent.mkdir()
            if locked:
                lock.touch()
            register(folder, starter)
        left = {RECORDS[name] for name in names}
        unlocks = locked and starter == "make" and left == {("make", "gone")}
        assert lock.exists() == (locked and not unlocks), left
        assert ("unlocked: make was killed here" in capsys.readouterr().err) == unlocks
        # The gone are forgotten as soon as nothing is locked, and are evidence until then.
        kept = {name for name in names if lock.exists() or RECORDS[name][1] != "gone"}
        [own] = {path.name for path in records.iterdir()} - kept
        assert {path.name for path in records.iterdir()} == kept | {own}


def test_the_record_of_a_process_is_held_while_it_lives(tmp_path: Path) -> None:
    register(tmp_path, "make")
    [own] = (tmp_path / ".snakemake/running").iterdir()
    with own.open("r+") as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

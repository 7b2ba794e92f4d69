"""A full disk ends an attempt, not a run."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from runs import Run, Tally, assert_files_whole, assert_same_end, ended


def mount(folder: Path, options: str) -> None:
    """A disk in memory, or another size for one; skip where we may not."""
    command = ["mount", "-t", "tmpfs", "-o", options, "deepmt-fault-test", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount program")
    if done.returncode:
        pytest.skip(f"cannot mount a tmpfs: {done.stderr.strip()}")


@pytest.fixture
def cramped(unbroken: Run, run: Run) -> Iterator[Run]:
    """A run on a disk that holds two checkpoints and half of the third."""
    state, weights = unbroken.states()[-1].stat().st_size, unbroken.model.stat().st_size
    disk = run.folder / "disk"
    disk.mkdir()
    mount(disk, f"size={weights + int(2.5 * state) + 3 * weights + 32_768}")
    try:
        for file in (run.folder / "spec.json", run.init):
            shutil.copy(file, disk)
        yield Run(disk, run.dataset)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.slow
def test_a_run_whose_disk_was_full_ends_as_if_it_had_not_been(
    cramped: Run, unbroken: Run, tally: Tally
) -> None:
    for _ in range(2):
        status, said = ended(cramped.train())
        clear, lost = "No space left on device" in said, not cramped.states()
        tally("a full disk", clear=clear, lost=int(lost))
        assert clear, said
        assert not lost, said
        assert status not in (0, 75), said
        assert_files_whole(cramped)
    mount(cramped.folder, "remount,size=32m")
    cramped.finish()
    assert_same_end(cramped, unbroken)


@pytest.mark.slow
def test_a_full_disk_is_called_so(cramped: Run) -> None:
    status, said = ended(cramped.train())
    assert status not in (0, 75)
    assert "No space left on device" in said
    assert str(cramped.folder) in said.splitlines()[-1]

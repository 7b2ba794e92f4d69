"""A full disk ends an attempt, not a run."""

import shutil
import subprocess
from collections.abc import Iterator

import pytest
from runs import Run, assert_files_whole, assert_same_end, ended, mount


@pytest.fixture
def cramped(unbroken: Run, run: Run) -> Iterator[Run]:
    """A run on a disk that holds two checkpoints and half of the third."""
    state, weights = unbroken.states()[-1].stat().st_size, unbroken.model.stat().st_size
    disk = run.folder / "disk"
    disk.mkdir()
    size = weights + int(2.5 * state) + 3 * weights + 32_768
    mount(disk, "-t", "tmpfs", "-o", f"size={size}", "deepmt-fault-test")
    try:
        for file in (run.folder / "spec.json", run.init):
            shutil.copy(file, disk)
        yield Run(disk, run.dataset)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.slow
def test_a_run_whose_disk_was_full_ends_as_if_it_had_not_been(cramped: Run, unbroken: Run) -> None:
    for _ in range(2):
        status, said = ended(cramped.train())
        assert "No space left on device" in said
        assert cramped.states()
        assert status not in (0, 75), said
        assert str(cramped.folder) in said.splitlines()[-1]
        assert_files_whole(cramped)
    mount(cramped.folder, "-t", "tmpfs", "-o", "remount,size=32m", "deepmt-fault-test")
    cramped.finish()
    assert_same_end(cramped, unbroken)

"""A file system that is lost for a while ends an attempt, not a run, and nothing goes astray."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from runs import Run, assert_same_end, came, ended, halted, mount

pytestmark = pytest.mark.fault
IN_A_CHECKPOINT = {"signal": "SIGSTOP", "event": "os.rename", "match": "state", "count": 9}


class Share:
    """A folder that is elsewhere: a bind mount, which can be taken away under an open file."""

    def __init__(self, folder: Path, kept: Path) -> None:
        self.folder = folder
        self.kept = kept

    def mount(self) -> None:
        """Put it there; skip where we may not."""
        mount(self.folder, "--bind", str(self.kept))

    def lose(self) -> None:
        """Take it away; what is open stays open."""
        subprocess.run(["umount", "--lazy", str(self.folder)], check=True)


@pytest.fixture(params=["the run's folder", "a folder above it"])
def share(run: Run, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Share]:
    """The run lies on a share, or is one."""
    run.folder.rename(tmp_path / "kept")
    above = request.param == "a folder above it"
    kept, folder = tmp_path / "kept", run.folder
    if above:
        kept, folder = tmp_path / "disk", tmp_path / "share"
        kept.mkdir()
        (tmp_path / "kept").rename(kept / "run")
        run.folder = folder / "run"
    folder.mkdir()
    found = Share(folder, kept)
    found.mount()
    yield found
    found.lose()


def start_and_halt(run: Run, in_a_checkpoint: bool) -> Any:
    """A stopped training, in the middle of a checkpoint or wherever it is."""
    process = run.train(moment=IN_A_CHECKPOINT if in_a_checkpoint else None)
    if not in_a_checkpoint:
        assert came(run, process, "checkpoint", 5)
        process.send_signal(signal.SIGSTOP)
    return halted(process)


@pytest.mark.parametrize("in_a_checkpoint", [True, False], ids=["in a checkpoint", "anywhere"])
def test_a_lost_share_ends_an_attempt_and_nothing_is_written_elsewhere(
    share: Share, run: Run, unbroken: Run, in_a_checkpoint: bool
) -> None:
    process = start_and_halt(run, in_a_checkpoint)
    share.lose()
    process.send_signal(signal.SIGCONT)
    status, said = ended(process)
    strays = [path for path in share.folder.rglob("*") if path.is_file()]
    share.mount()
    assert status not in (0, 75), said
    assert str(run.folder / "resume") in said.splitlines()[-1]
    assert not strays
    run.finish()
    assert_same_end(run, unbroken)
    assert run.outcome["attempts"] == 2

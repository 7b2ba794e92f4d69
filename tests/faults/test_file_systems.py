"""A file system that lacks a call costs nothing where it is harmless, and is told where not."""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from deepmt.base.errors import UserError
from deepmt.base.files import replacing_folder, write_text
from deepmt.train import gpus
from deepmt.train.checkpoint import Checkpoints
from projects import ROOT
from tiny import tiny_spec
from tiny_runs import new_run, trained


def lacking(number: int, *, of_folders: bool = False) -> Callable[..., None]:
    """A call that answers with an error, of files or of folders alone."""

    def call(file: int, *_: object, **__: object) -> None:
        if not of_folders or os.path.isdir(f"/proc/self/fd/{file}"):
            raise OSError(number, os.strerror(number))

    return call


LACKS = {
    "fsync of folders": ("fsync", lacking(errno.EINVAL, of_folders=True)),
    "fsync": ("fsync", lacking(errno.ENOSYS)),
    "chmod": ("chmod", lacking(errno.EPERM)),
    "chmod on a network": ("chmod", lacking(errno.ENOTSUP)),
}


@pytest.mark.parametrize("lack", LACKS)
def test_files_are_written_without_it(
    lack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, *LACKS[lack])
    write_text(tmp_path / "text", "x")
    with replacing_folder(tmp_path / "folder") as folder:
        (folder / "file").write_text("y")
    Checkpoints(tmp_path, 1, 1).save_weights(1, {"w": torch.ones(1)})
    assert (tmp_path / "text").read_text() == "x"
    assert (tmp_path / "folder/file").read_text() == "y"


def test_a_broken_disk_is_still_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lacking(errno.EIO))
    with pytest.raises(OSError, match=r"Input/output error: '.*text'"):
        write_text(tmp_path / "text", "x")


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP])
def test_training_without_locks_is_refused_as_such(
    number: int, tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = new_run(tmp_path / "run", dataset, tiny_spec())
    monkeypatch.setattr("fcntl.flock", lacking(number))
    said = rf"run: cannot lock it \({os.strerror(number)}\), and two that write here"
    with pytest.raises(UserError, match=said):
        trained(run)


def test_a_gpu_that_cannot_be_locked_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("fcntl.flock", lacking(errno.ENOSYS))
    with pytest.raises(UserError, match=r"gpu-.*-0\.lock: cannot lock it .*set TMPDIR"):
        gpus.locked("0")


FLOCK = """#!/bin/sh
echo "flock: 9: Function not implemented" >&2
exit 65
"""


def test_make_says_that_it_cannot_lock_and_unlocks_nothing(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    for name, text in (("flock", FLOCK), ("python", "#!/bin/sh\ntouch ran\n")):
        (tmp_path / ".venv/bin" / name).write_text(text)
        (tmp_path / ".venv/bin" / name).chmod(0o755)
    locks = tmp_path / ".snakemake/locks/0.input.lock"
    locks.parent.mkdir(parents=True)
    locks.touch()
    (locks.parent / "make").write_text(f"{os.uname().nodename}\n")
    path = {**os.environ, "PATH": f"{tmp_path}/.venv/bin:{os.environ['PATH']}"}
    command = ["make", "-o", ".venv/.ready"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, env=path, check=False
    )
    assert done.returncode == 0
    assert "Function not implemented" in done.stderr
    assert "cannot lock .snakemake/make, as the line above says; start one make" in done.stdout
    assert "another make" not in done.stdout
    assert locks.exists()
    assert (tmp_path / "ran").exists()

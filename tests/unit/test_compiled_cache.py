"""Compiled operations are kept intact, out of others' reach, or not used, which is said."""

import errno
import mmap
import os
import shutil
import stat
import subprocess
import time
from pathlib import Path

import pytest

from deepmt.base.files import sha256
from deepmt.kernels import compiled
from deepmt.train.stop import StopRequested
from tiny import tiny_spec
from tiny_runs import events, new_run, trained

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, for operations that take no time to compile."""
    source = tmp_path / "small.cpp"
    source.write_text('extern "C" int number() { return 42; }')
    monkeypatch.setattr(compiled, "SOURCE", source)
    monkeypatch.setattr(compiled, "attempt", compiled.attempt.__wrapped__)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/deepmt"


def kept(folder: Path) -> Path:
    [found] = folder.iterdir()
    return found


def test_it_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled.library("float").number() == 42
    assert kept(folder).suffix == ".so"
    monkeypatch.setattr(subprocess, "Popen", lambda *arguments, **options: pytest.fail("again"))
    assert compiled.library("float").number() == 42


def flip(library: Path) -> None:
    data = bytearray(library.read_bytes())
    data[len(data) // 2] ^= 1
    library.write_bytes(data)


HARMS = {
    "cut": lambda library: os.truncate(library, 5000),
    "flipped": flip,
    "open to the group": lambda library: library.chmod(0o775),
    "of another user": lambda library: os.chown(library, 12345, -1),
    "a symbolic link to a file of ours": lambda library: library.symlink_to(
        library.rename(library.parents[2] / "download")
    ),
    "a second name of a file of ours": lambda library: os.link(
        library, library.parents[2] / "download"
    ),
}


@pytest.mark.parametrize("harm", HARMS)
def test_what_is_not_intact_and_own_is_compiled_again(harm: str, folder: Path) -> None:
    if harm == "of another user" and os.getuid():
        pytest.skip("only root can give files away")
    compiled.built("float")
    before = kept(folder)
    content, number = before.read_bytes(), before.stat().st_ino
    HARMS[harm](before)
    assert compiled.built("float").number() == 42
    after = kept(folder)
    assert after == before
    assert after.read_bytes() == content
    assert after.lstat().st_ino != number
    assert compiled.is_own(after.lstat())


def test_a_link_runs_nothing_of_the_file_that_it_names(folder: Path, tmp_path: Path) -> None:
    """The file is ours and has the hash in the name of the link, as another user may arrange."""
    compiled.built("float")
    trap, ran = tmp_path / "trap.so", tmp_path / "ran"
    source = tmp_path / "trap.cpp"
    source.write_text(
        "#include <cstdio>\n__attribute__((constructor)) void run() "
        f'{{ std::fclose(std::fopen("{ran}", "w")); }}'
    )
    subprocess.run(["g++", "-shared", "-fPIC", source, "-o", trap], check=True)
    key = kept(folder).name.partition("-")[0]
    kept(folder).unlink()
    (folder / f"{key}-{sha256(trap)}.so").symlink_to(trap)
    assert compiled.built("float").number() == 42
    assert not ran.exists()


def test_a_library_is_found_in_a_folder_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "libsmall of a (b)"
    folder.mkdir()
    maps = []
    for name in ("other.so", "libsmall.so.1", "not-libsmall.so"):
        (folder / name).write_bytes(b"x")
        with (folder / name).open("rb") as file:
            maps.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    assert compiled.loaded("libsmall") == str(folder / "libsmall.so.1")
    assert compiled.loaded("libabsent") is None


def test_what_cannot_be_loaded_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(options: list[str]) -> None:
        Path(options[-1]).write_text("g++ ended with 0")

    monkeypatch.setattr(compiled, "compile_", wrong)
    assert compiled.library("float") is None
    assert not list(folder.iterdir())


@pytest.mark.parametrize("lacks", ["fsync", "chmod"])
def test_a_file_system_without_it_keeps_the_library(
    lacks: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(os, lacks, call)
    assert compiled.attempt("float")[1] == ""
    assert kept(folder).exists()


def test_a_relative_folder_of_caches_is_ignored(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert compiled.own_folder() == tmp_path / ".cache/deepmt"


def test_both_types_have_their_own_library(folder: Path) -> None:
    """The loader takes two libraries of one name for the same."""
    compiled.SOURCE.write_text('extern "C" int number() { return sizeof(NUMBER); }')
    libraries = [compiled.built(number) for number in ("float", "double")]
    assert [library.number() for library in libraries] == [4, 8]


def test_only_the_user_can_write_the_folder(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    compiled.built("float")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


HINDRANCES = {
    "there is no g++": (compiled.shutil, "which", lambda name: None),
    r"g\+\+ fails: .*no-such-option": (compiled, "FLAGS", ("-no-such-option",)),
    "is not yours alone; set XDG_CACHE_HOME": (compiled.os, "getuid", lambda: 12345),
}


@pytest.mark.parametrize("said", HINDRANCES)
@pytest.mark.usefixtures("folder")
def test_what_hinders_is_said(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*HINDRANCES[said])
    with pytest.raises((OSError, RuntimeError), match=said):
        compiled.built("float")
    assert compiled.library("float") is None
    assert compiled.hindrance()


def test_a_compiler_that_hangs_is_ended_with_its_children(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging, alive = tmp_path / "g++", tmp_path / "alive"
    hanging.write_text(f"#!/bin/sh\n(while sleep 0.05; do date > '{alive}'; done) &\nwait\n")
    hanging.chmod(0o755)
    monkeypatch.setattr(compiled.shutil, "which", lambda name: str(hanging))
    monkeypatch.setattr(compiled, "PATIENCE", 0.5)
    with pytest.raises(RuntimeError, match=r"g\+\+ did not end in"):
        compiled.built("float")
    alive.unlink(missing_ok=True)
    time.sleep(0.3)
    assert not alive.exists()
    assert not list(folder.iterdir())


def test_training_says_once_that_torch_computes_and_that_weights_will_differ(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    with pytest.raises(StopRequested):
        trained(where, signals=["SIGTERM"])
    assert "operations" not in capsys.readouterr().err
    monkeypatch.setattr(compiled, "attempt", lambda number: (None, "there is no g++"))
    outcome = trained(where)
    said = capsys.readouterr().err
    assert said.count("in place of compiled operations") == said.count("there is no g++") == 1
    assert "operations compiled -> torch" in said
    assert [event["reason"] for event in events(where, "uncompiled")] == ["there is no g++"]
    assert events(where, "hardware-changed")[0]["operations"] == ["compiled", "torch"]
    assert outcome["hardware"]["operations"] == "torch"
    assert outcome["hardware"]["earlier"][0]["operations"] == "compiled"

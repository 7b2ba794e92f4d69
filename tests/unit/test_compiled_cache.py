"""Compiled operations are kept whole in the checkout, or not used, which is said."""

import mmap
import multiprocessing
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from deepmt.kernels import compiled
from deepmt.train.stop import StopRequested
from projects import ROOT
from tiny import tiny_spec
from tiny_runs import events, new_run, trained

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where operations are kept that take no time to compile."""
    source = tmp_path / "small.cpp"
    source.write_text('extern "C" int number() { return 42; }')
    monkeypatch.setattr(compiled, "SOURCE", source)
    monkeypatch.setattr(compiled, "attempt", compiled.attempt.__wrapped__)
    monkeypatch.setattr(compiled, "FOLDER", tmp_path / "code")
    return compiled.FOLDER


def kept(folder: Path) -> Path:
    [found] = folder.iterdir()
    return found


def test_it_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled.library("float").number() == 42
    assert kept(folder).suffix == ".so"
    monkeypatch.setattr(subprocess, "Popen", lambda *arguments, **options: pytest.fail("again"))
    assert compiled.library("float").number() == 42


HARMS = {
    "cut": lambda whole: whole[:5000],
    "cut by one byte": lambda whole: whole[:-1],
    "empty": lambda whole: b"",
    "one bit": lambda whole: whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:],
    "no library": lambda whole: b"g++ ended with 0" + whole[-16:],
}


@pytest.mark.parametrize("harm", HARMS)
def test_what_is_damaged_is_compiled_again(
    harm: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled.built("float")
    whole = kept(folder).read_bytes()
    damaged = tmp_path / "not loaded yet" / kept(folder).name
    damaged.parent.mkdir()
    damaged.write_bytes(HARMS[harm](whole))
    monkeypatch.setattr(compiled, "FOLDER", damaged.parent)
    assert compiled.built("float").number() == 42
    assert kept(damaged.parent).read_bytes() == whole


def test_a_library_is_found_in_a_folder_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "libsmall of a (b) \udce9"
    folder.mkdir()
    maps = []
    for name in ("other.so", "libsmall.so.1", "not-libsmall.so"):
        (folder / name).write_bytes(b"x")
        with (folder / name).open("rb") as file:
            maps.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    assert compiled.loaded("libsmall") == str(folder / "libsmall.so.1")
    assert compiled.loaded("libabsent") is None


def test_a_checkout_that_moves_takes_it_along(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled.built("float")
    monkeypatch.setattr(compiled, "SOURCE", compiled.SOURCE.rename(tmp_path / "moved.cpp"))
    monkeypatch.setattr(compiled, "FOLDER", folder.rename(tmp_path / "moved"))
    monkeypatch.setattr(compiled, "compile_", lambda options: pytest.fail("again"))
    assert compiled.built("float").number() == 42


def test_processes_that_begin_at_once_keep_one(folder: Path) -> None:
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(number, ["float"] * 3, chunksize=1) == [42] * 3
    assert kept(folder).suffix == ".so"


def number(of: str) -> int:
    return compiled.built(of).number()


def test_it_lies_in_the_checkout_wherever_a_script_is_called() -> None:
    assert compiled.FOLDER == ROOT / "data/code"


def test_both_types_have_their_own_library(folder: Path) -> None:
    """The loader takes two libraries of one name for the same."""
    compiled.SOURCE.write_text('extern "C" int number() { return sizeof(NUMBER); }')
    libraries = [compiled.built(number) for number in ("float", "double")]
    assert [library.number() for library in libraries] == [4, 8]


def wrong(options: list[str]) -> None:
    Path(options[-1]).write_text("g++ ended with 0")


HINDRANCES = {
    "there is no g++": (compiled.shutil, "which", lambda name: None),
    r"g\+\+ fails: .*no-such-option": (compiled, "FLAGS", ("-no-such-option",)),
    "file too short": (compiled, "compile_", wrong),
    "Not a directory: '/dev/null/code'": (compiled, "FOLDER", Path("/dev/null/code")),
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

"""What editors and killed processes leave is not read, and what they damage is made again."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import projects
from deepmt.base import files
from deepmt.base.cache import cached
from deepmt.base.code_sums import closure, path_of
from deepmt.base.errors import UserError
from deepmt.base.files import replacing, replacing_folder, write_text
from deepmt.measured.archive_faults import archive_faults
from deepmt.measured.table import gather
from deepmt.settings.strict_yaml import names_in
from deepmt.study.plan import load_plan
from projects import ROOT
from tiny_runs import SCRIPTS

LISTS = re.compile(r"\.(?:r?glob|iterdir|walk)\(|os\.(?:listdir|scandir)\(")
OF_JOBS = {
    "deepmt/base/files.py": "the door itself",
    "deepmt/train/continuation.py": "folders of runs",
    "deepmt/train/checkpoint.py": "files that match a whole name",
    "deepmt/report/explain.py": "scales, whose loader reads one",
}
"""Files that list a folder without it, and what they list."""


def test_every_list_of_files_leaves_out_hidden_ones() -> None:
    sources = [*SCRIPTS.rglob("*.py"), *(ROOT / "rules").glob("*.smk"), ROOT / "Snakefile"]
    found = [path for path in sources if LISTS.search(path.read_text())]
    unknown = {path for path in found if not path.is_relative_to(SCRIPTS)}
    names = {str(path.relative_to(SCRIPTS)) for path in {*found} - unknown}
    assert unknown == set()
    assert names <= OF_JOBS.keys(), "use deepmt.base.files.visible"


RUBBISH: dict[str, Callable[[Path], object]] = {
    ".#{}": lambda path: path.symlink_to("someone@host.1:2"),
    "._{}": lambda path: path.write_bytes(b"\x00\x05\x16\x07\xff" * 9),
    ".{}.swp": lambda path: path.write_bytes(b"b0VIM\x00\xff"),
    ".{}.0.tmp": lambda path: path.write_text("{"),
    ".hidden/{}": lambda path: (path.parent.mkdir(exist_ok=True), path.write_text("{")),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of what plans and reports read."""
    settings = ("config.yaml", "corpora.yaml", "corpora", "papers", "scales")
    return projects.copy(tmp_path, *settings, "records")


def litter(folder: Path) -> None:
    """Put hidden files beside every file, with its name."""
    for path in [*folder.rglob("*")]:
        if path.is_file() and not path.relative_to(folder).as_posix().startswith("records/hyp"):
            for name, write in RUBBISH.items():
                write(path.parent / name.format(path.name))


def test_hidden_files_change_nothing(root: Path) -> None:
    asked = {"scale": "multi30k-narrow", "papers": "all", "rows": "all"}

    def read() -> tuple[object, ...]:
        plan = load_plan(root, asked)
        known = gather(plan, root, root / plan.config.results)
        return plan.specs, plan.corpora, known.records, known.refusals, known.curves

    before = read()
    litter(root)
    assert read() == before
    assert not list(archive_faults(root / "records", names_in(root / "scales")))


def test_hidden_files_are_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def code_in(scripts: Path) -> list[Path]:
        monkeypatch.setattr("deepmt.base.code_sums.SCRIPTS", scripts)
        return [path.relative_to(scripts) for path in closure([path_of("jobs.render")])]

    clean = projects.copy(tmp_path / "clean", "workflow_scripts") / "workflow_scripts"
    before = code_in(clean)
    assert len(before) > 50
    littered = shutil.copytree(clean, tmp_path / "littered")
    for path in before:
        if path.suffix != ".py":
            (littered / path.parent / f".{path.name}.swp").touch()
    assert code_in(littered) == before


def test_a_file_of_records_of_no_scale_is_named_and_the_rest_is_read(root: Path) -> None:
    plan = load_plan(root, {"scale": "multi30k-narrow", "papers": "unified"})
    before = gather(plan, root, root / plan.config.results)
    copy = root / "records/multi30k-narrow (copy).jsonl"
    shutil.copy(root / "records/multi30k-narrow.jsonl", copy)
    found = gather(plan, root, root / plan.config.results)
    assert found.records == before.records
    [said] = {one.message for one in found.refusals} - {one.message for one in before.refusals}
    assert said.startswith(f"{copy}: unknown scale 'multi30k-narrow (copy)'; did you mean 'multi")


def test_only_what_uses_a_file_stops_at_it(root: Path) -> None:
    """Every file of another scale, and of a text of one's own, may be damaged."""
    before = load_plan(root, {"scale": "toy", "papers": "unified"})
    known = gather(before, root, root / before.config.results)
    (root / "corpora/text-a.yaml").touch()
    others = [
        *root.glob("corpora/*.yaml"),
        *root.glob("scales/*"),
        *root.glob("records/**/*.jsonl"),
    ]
    for path in others:
        if not path.name.startswith("toy"):
            path.write_bytes(b"\xff{")
    plan = load_plan(root, {"scale": "toy", "papers": "unified"})
    assert (plan.specs, plan.corpora) == (before.specs, before.corpora)
    assert gather(plan, root, root / plan.config.results) == known


KILLED = {
    "file": "with replacing(path) as part: part.write_text('half'); die()",
    "folder": "with replacing_folder(path) as part: (part / 'half').touch(); die()",
}


@pytest.mark.parametrize("kind", KILLED)
def test_what_a_killed_writer_left_goes_when_the_file_is_written(tmp_path: Path, kind: str) -> None:
    code = (
        "import os, pathlib, sys\n"
        "from deepmt.base.files import replacing, replacing_folder\n"
        "die = lambda: os.kill(os.getpid(), 9)\n"
        f"path = pathlib.Path(sys.argv[1])\n{KILLED[kind]}\n"
    )
    path = tmp_path / "a [b] *.json"
    environ = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    command = [sys.executable, "-c", code, path]
    assert subprocess.run(command, env=environ, check=False).returncode == -signal.SIGKILL
    [left] = tmp_path.iterdir()
    assert left.name.startswith(".a [b] *.json.")
    other = tmp_path / left.name.replace("json", "yaml")
    other.touch()
    write = {"file": replacing, "folder": replacing_folder}[kind]
    with write(path) as part:
        (part if kind == "file" else part / "file").write_text("whole")
    assert {*tmp_path.iterdir()} == {path, other}


def test_a_device_or_folder_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    """Root could: /dev/null would become a file."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for path in [*tmp_path.iterdir()]:
        with pytest.raises(UserError, match=f"{path} is no file"):
            write_text(path, "1")
    assert (tmp_path / "pipe").is_fifo()
    assert len([*tmp_path.iterdir()]) == 2


def test_files_of_living_processes_and_of_other_machines_stay_for_a_day(tmp_path: Path) -> None:
    path = tmp_path / "file"
    living = tmp_path / f".file.{files._place()}-{os.getppid()}.tmp"
    elsewhere, older = tmp_path / ".file.0123abcd-7.tmp", tmp_path / ".file.9999.tmp"
    for one in (living, elsewhere, older):
        one.touch()
    write_text(path, "1")
    assert {*tmp_path.iterdir()} == {path, living, elsewhere, older}
    for one in (living, elsewhere, older):
        os.utime(one, (time.time() - files.A_DAY - 9,) * 2)
    write_text(path, "2")
    assert {*tmp_path.iterdir()} == {path, living}


HARMS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda text: b"",
    "cut": lambda text: text[: len(text) // 2],
    "no UTF-8": lambda text: b"\xff\xfe" + text,
    "another value": lambda text: text.replace(b"7", b"8", 1),
    "a list": lambda text: b"[1]",
    "no end": lambda text: b"[" * 100_000,
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_cache_is_made_again(tmp_path: Path, harm: str) -> None:
    def read(value: int) -> object:
        return cached(tmp_path, "deepmt.base.cache", ["given"], lambda: {"found": value})

    assert read(7) == read(9) == {"found": 7}
    [path] = tmp_path.iterdir()
    path.write_bytes(HARMS[harm](path.read_bytes()))
    assert read(7) == read(9) == {"found": 7}

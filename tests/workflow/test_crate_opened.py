"""A crate opened in a fresh clone: its tables come again from the records that it brought."""

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from crates import render, train
from shelf import plan_of

ROOT = Path(__file__).parents[2]
PAPERS = ("unified", "liu2020")
PYTHON = Path(sys.executable)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("crate")]


def run(folder: Path, *command: object) -> str:
    """What a command in a folder says, where torch cannot be imported."""
    path = f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"
    found = subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env=os.environ | {"PATH": path, "PYTHONPATH": str(folder.parent / "stub")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout + found.stderr


def git(folder: Path, *words: object) -> str:
    who = ("-c", "user.name=test", "-c", "user.email=test", "-c", "commit.gpgsign=false")
    return run(folder, "git", *who, *words)


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This working tree as a repository of its own, with made-up results of two papers."""
    if not (ROOT / ".git").exists():
        pytest.skip("which files belong to a clone is known in a git checkout only")
    folder = tmp_path_factory.mktemp("crate")
    stub = folder / "stub/torch/__init__.py"
    stub.parent.mkdir(parents=True)
    stub.write_text("raise ImportError('torch')")
    origin = folder / "origin"
    for name in git_files():
        (origin / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, origin / name)
    git(origin, "init", "--quiet")
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "all")
    train(origin, plan_of(origin, *PAPERS))
    render(origin, PAPERS)
    return origin


def git_files() -> list[str]:
    """Tracked files, and new ones, as they lie in the working tree."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in found.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def said(origin: Path) -> str:
    """A fresh clone, the crate opened in it, and the command that this told to run."""
    asked = ("scale=toy", f"papers={','.join(PAPERS)}", "rows=all", "seeds=1,2")
    crate = origin.with_name("crate.zip")
    run(origin, PYTHON, "workflow_scripts/crate.py", "--config", *asked, "--output", crate)
    clone = origin.with_name("clone")
    git(origin, "clone", "--quiet", origin, clone)
    said = run(clone, PYTHON, "workflow_scripts/open_crate.py", crate)
    [command] = re.findall("^now: (.*)$", said, re.MULTILINE)
    return said + run(clone, *command.replace(" report ", " ").split())


@pytest.fixture(scope="module")
def clone(origin: Path, said: str) -> Path:
    return origin.with_name("clone")


def cells(path: Path) -> list[dict[str, str]]:
    with path.open() as stream:
        return list(csv.DictReader(stream))


def test_a_clone_of_the_same_commit_is_not_warned(said: str) -> None:
    assert "each with its sha256" in said
    assert "warning" not in said


def test_nothing_is_trained_nor_built(said: str) -> None:
    rules = set(re.findall(r"^(\w+) +\d+$", said, re.MULTILINE)) - {"total"}
    assert rules == {"cells", "paper_tables", "tables"}


def test_every_cell_is_the_same_but_for_who_measured_it(origin: Path, clone: Path) -> None:
    first = cells(origin / "results/toy/cells.csv")
    again = cells(clone / "results/toy-records/cells.csv")
    assert sum(cell["status"] == "measured" for cell in first) > 100
    for cell in first:
        cell["status"] = cell["status"].replace("measured", "recorded")
    assert again == first


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("form", ["md", "tex"])
def test_every_table_is_the_same_but_for_that_word(
    origin: Path, clone: Path, paper: str, form: str
) -> None:
    first = (origin / f"results/toy/tables/{paper}.{form}").read_text()
    again = (clone / f"results/toy-records/tables/{paper}.{form}").read_text()
    assert first.replace("measured, ", "recorded, ") == again
    assert "recorded, 2 seeds" in again


def test_a_clone_at_another_commit_is_warned(origin: Path, said: str) -> None:
    later = origin.with_name("later")
    git(origin, "clone", "--quiet", origin, later)
    git(later, "commit", "--quiet", "--allow-empty", "-m", "later")
    crate = origin.with_name("crate.zip")
    warned = run(later, PYTHON, "workflow_scripts/open_crate.py", crate)
    at = [git(folder, "rev-parse", "HEAD")[:12] for folder in (later, origin)]
    assert f"this clone is at commit {at[0]}, the crate was made at {at[1]}" in warned

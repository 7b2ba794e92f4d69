"""`./deepmt` finds its own Python, says what there is, and lets no other Python in."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import projects

ROOT = projects.ROOT
COMMANDS = sorted(path.stem for path in (ROOT / "workflow_scripts/commands").glob("[a-z]*.py"))
OLD = sorted(path.stem for path in (ROOT / "workflow_scripts").glob("*.py") if path.stem != "moved")


def called(*words: str, cwd: Path = ROOT, **variables: str) -> "subprocess.CompletedProcess[str]":
    command = [str(cwd / "deepmt") if (cwd / "deepmt").is_file() else str(ROOT / "deepmt"), *words]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=os.environ | variables, check=False
    )


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A clone without .venv."""
    shutil.copy(ROOT / "deepmt", tmp_path / "deepmt")
    shutil.copytree(ROOT / "workflow_scripts/commands", tmp_path / "workflow_scripts/commands")
    return tmp_path


def test_a_fresh_clone_lists_every_command_and_says_how_to_set_up(fresh: Path) -> None:
    listed = called("--help", cwd=fresh)
    assert listed.returncode == 0
    named = {line.split()[0] for line in listed.stdout.splitlines()[2:]}
    assert named == {*COMMANDS, "run"}
    for command in ("run", "explain"):
        assert "make .venv/.ready" in called(command, cwd=fresh).stderr
    wrong = called("explian", cwd=fresh)
    assert wrong.returncode == 1
    assert "did you mean explain?" in wrong.stderr


def test_a_python_that_has_gone_since_is_not_set_up_by_make_alone(fresh: Path) -> None:
    (fresh / ".venv/bin").mkdir(parents=True)
    (fresh / ".venv/bin/python").symlink_to(fresh / "gone")
    assert re.search(r"`rm -r \.venv`.*make \.venv/\.ready", called("plan", cwd=fresh).stderr)


needs_venv = pytest.mark.skipif(
    not (ROOT / ".venv/bin/python").exists(), reason="this checkout has no .venv"
)


@needs_venv
def test_a_command_reads_this_project_from_any_folder(tmp_path: Path) -> None:
    for name in ("yaml", "deepmt", "snakemake"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a foreign module')")
    foreign = {"PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"}
    row = "unified.t1.deep-pre.bleu"
    found = called("explain", row, "--scale", "multi30k-fair", cwd=tmp_path, **foreign)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("unified.t1.deep-pre\n")
    assert called("run", "--version", cwd=tmp_path, **foreign).stdout[:2] == "9."


def test_an_old_name_says_the_new_one_and_works() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "workflow_scripts/plan.py"), "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "this script is now called: ./deepmt plan\n"
    assert done.returncode == 0
    assert done.stdout.startswith("usage: ./deepmt plan ")


@pytest.mark.parametrize("name", OLD)
def test_every_old_name_leads_to_a_script(name: str) -> None:
    [to] = re.findall(r'moved\("([\w.]+)"', (ROOT / f"workflow_scripts/{name}.py").read_text())
    folder = ROOT.joinpath("workflow_scripts", *to.split(".")[:-1])
    if to.startswith("wings.") and not folder.exists():
        pytest.skip("the wing is not there")
    assert find_spec(to)

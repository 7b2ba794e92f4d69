"""A checkout runs in a folder of any name, or is refused in one line; no name is ever executed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import small_toy
from run_snakemake import run_snakemake

import projects
from projects import ROOT

ODD = """a "q" it's $(touch executed) `touch executed` $HOME %s ; touch executed \\n é"""
TARGETS = ["all", "test", "test-all", "test-faults", "test-slurm", "bench", "check", "lock"]
PYTHON = """#!/bin/sh
echo "$*" >> "${0%/bin/*}/ran"
case "$*" in "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;; esac
"""
"""It writes down what it is asked, and makes environments of its own kind."""


@pytest.mark.parametrize(
    ("target", "ready"), [*((target, False) for target in TARGETS), ("all", True), ("bench", True)]
)
def test_make_executes_nothing_of_its_path(tmp_path: Path, target: str, ready: bool) -> None:
    root = tmp_path / ODD
    for name in ("Makefile", "requirements.lock", "pyproject.toml", "envs/bench/eole.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    python = root / "base/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON)
    python.chmod(0o755)
    if ready:
        (root / ".venv").symlink_to("base")
        (root / ".venv/.ready").touch()
    environ = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    found = subprocess.run(
        ["make", target, "PYTHON=base/bin/python", "PEERS=eole"],
        cwd=root,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    assert not found.stderr
    assert (root / ".venv/ran").exists()
    assert (root / ".bench/eole/ran").exists() == (target == "bench")
    assert not [*tmp_path.rglob("executed*")]


@pytest.mark.slow
def test_the_toy_scale_in_an_odd_path(tmp_path: Path) -> None:
    root = tmp_path / ODD
    root.mkdir()
    small_toy.make(root)
    said = small_toy.snakemake(root, root / "report")
    assert "Seeds to train: 1, of 1 runs; about 1 min with 2 cores." in said
    assert "Open results/toy/report.html" in said
    assert not [*tmp_path.rglob("executed*")]


def test_braces_in_a_path_are_refused_in_one_line(tmp_path: Path) -> None:
    root = tmp_path / "a{"
    root.mkdir()
    found = run_snakemake(projects.checkout(root, "Snakefile"), "-n")
    said = found.stdout + found.stderr
    assert found.returncode
    message = f"{root}: Snakemake reads braces in a path as wildcards; rename the folder\n"
    assert message in said
    assert "Traceback" not in said

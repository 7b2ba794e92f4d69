"""What is given to `make text` reaches the script as it was written, whatever its characters."""

import shutil
import subprocess
from pathlib import Path

import pytest
from run_snakemake import run_snakemake

import projects
from projects import ROOT
from tiny_runs import run_here

SAYS = """#!/bin/sh
for word; do printf '%s\\n' "$word"; done > said
"""
GIVEN = {
    "DIR": [
        "cost$5",
        "$(touch ran)",
        "a `touch ran` b",
        'say "hi"',
        "it's",
        "back\\slash",
        "~",
        "#",
    ],
    "NAME": ["`touch ran`", "$HOME", "a; touch ran", "c++"],
    "DIRECTION": ["$(shell touch ran)"],
    "HOURS": ["+2", "`touch ran`"],
    "METHODS": ["pre,post", "$$"],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, each in GIVEN.items() for v in each])
def test_it_is_passed_as_it_is_and_nothing_of_it_runs(
    name: str, value: str, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(SAYS)
    python.chmod(0o755)
    given = {"DIR": "text", "DIRECTION": "en-de", name: value}
    words = [f"{key}={text}" for key, text in given.items()]
    subprocess.run(["make", "-o", ".venv/.ready", "text", *words], cwd=tmp_path, check=True)
    flags = [f"--{key.lower()}={text}" for key, text in given.items()]
    said = (tmp_path / "said").read_text().splitlines()
    assert said == [
        "-m",
        "wings.text",
        flags[0].replace("--dir=", "--text="),
        *flags[1:],
    ]
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["news+wiki", "c++", "9_a-b"])
def test_a_name_that_is_accepted_makes_files_that_rules_know(name: str, tmp_path: Path) -> None:
    root = projects.checkout(tmp_path, "scales", "corpora", "corpora.yaml")
    (root / "mine").mkdir()
    for language in ("en", "de"):
        lines = projects.toy_text("train1", language).splitlines(keepends=True)
        (root / f"mine/train.{language}").write_bytes(b"".join(lines[:2000]))
    given = ["--text", root / "mine", "--direction", "en-de", "--name", name, "--hours", "0.1"]
    run_here("wings.text.__main__", *given, "--hardware", "epycx2", "--no-run", "--root", root)
    rows = "rows=unified.t1.shallow-post"
    asked = ("--config", f"scale=text-{name}-en-de", "papers=unified", rows)
    planned = run_snakemake(root, "-n", "--cores", "2", *asked)
    assert planned.returncode == 0, planned.stderr
    assert "train" in planned.stdout

"""A folder of text becomes tables and a report: from raw text by SentencePiece to BLEU."""

import csv
import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from run_snakemake import run_snakemake

import projects
from wings.text.text_settings import EXPORTS

NAME = "text-mine-en-de"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the project's settings and code, and a text."""
    projects.checkout(tmp_path, "scales", "corpora", "corpora.yaml", "workflow_scripts")
    (tmp_path / "mine").mkdir()
    for language in ("en", "de"):
        lines = projects.toy_text("train1", language).splitlines(keepends=True)
        (tmp_path / f"mine/train.{language}").write_bytes(b"".join(lines[:3000]))
    return tmp_path


def own_text(root: Path, *flags: str) -> "subprocess.CompletedProcess[str]":
    """Call the script that `make text` calls."""
    words = ["--text", "mine", "--direction", "en-de", *flags]
    script = [sys.executable, "workflow_scripts/wings/text/__main__.py"]
    path = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run(
        [*script, *words], cwd=root, capture_output=True, text=True, check=False, env=path
    )


def test_bad_text_is_reported_before_any_job(root: Path) -> None:
    (root / "mine/train.de").write_bytes(gzip.compress(b"eins\n"))
    done = own_text(root)
    assert done.returncode == 1
    assert "the two sides differ in length: mine/train.en has 3,000 lines" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.slow
def test_from_a_folder_to_the_report(root: Path) -> None:
    done = own_text(root, "--methods", "pre", "--hours", "0.06")
    assert done.returncode == 0, done.stderr
    asked = done.stdout.rpartition("--config ")[2].split("\n")[0].split()
    assert f"scale={NAME}" in asked
    with (root / f"results/{NAME}/cells.csv").open() as file:
        cells = {(cell["row"], cell["column"]): cell for cell in csv.DictReader(file)}
    for row in ("shallow-post", "deep-pre"):
        cell = cells[f"unified.t1.{row}", "bleu"]
        assert cell["status"] == "measured"
        assert 0 <= float(cell["ours"]) <= 100
    page = (root / f"results/{NAME}/report.html").read_text()
    assert "mine, en to de" in page
    assert "Too few updates to tell" in page
    assert "some systems need 1,500 to learn anything" in page
    assert page.count('aria-label="Sentence ') == 10
    assert "Its weights are" in page
    away = root / f"results/{NAME}/translator"
    assert (away / "translate.py").exists() == (f"{away.relative_to(root)}<" in page) == EXPORTS
    assert (f"{away.relative_to(root)}: " in done.stdout) == EXPORTS
    assert (f"./deepmt run --cores all export --config scale={NAME}" in page) == EXPORTS
    assert "Verdict" not in page.partition('id="records"')[0]
    again = run_snakemake(root, "-n", "--config", *asked)
    assert "Nothing to be done" in again.stdout + again.stderr

"""`./deepmt report` renders records/ alone: in seconds, and without torch."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from commands import report
from projects import PARTS, ROOT, copy, link

RESULTS = Path("results/multi30k-records")
HEADLINE = "  liu2020: [liu2020.t3.b]\n"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project without data, results and probes, and without records of large scales."""
    tree = link(tmp_path_factory.mktemp("tree"), *(name for name in PARTS if name != "config.yaml"))
    settings = copy(tree, "config.yaml") / "config.yaml"
    text = settings.read_text()
    assert HEADLINE in text
    settings.write_text(text.replace(HEADLINE, ""))
    (tree / "records").mkdir()
    for path in (ROOT / "records").iterdir():
        large = path.suffix == ".jsonl" and path.stem not in ("multi30k", "iwslt14-narrow")
        if not large and path.name != "probes":  # these make a figure of 68 panels
            (tree / "records" / path.name).symlink_to(path)
    return tree


@pytest.fixture(scope="module")
def said(tree: Path) -> str:
    """What is said in an environment that nobody activated, where torch cannot be imported."""
    stub = tree / "stub/torch/__init__.py"
    stub.parent.mkdir(parents=True)
    stub.write_text("raise ImportError('torch')")
    command = ["workflow_scripts/commands/report.py", "multi30k", "--papers", "unified", "liu2020"]
    found = subprocess.run(
        [sys.executable, *command],
        cwd=tree,
        env={
            "PATH": os.defpath,
            "HOME": os.environ["HOME"],
            "PYTHONPATH": str(tree / "stub"),
            "PYTHONSAFEPATH": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_the_last_lines_are_the_result_and_where_it_is(said: str) -> None:
    assert re.search(rf"lowest perplexity of .*\nOpen {RESULTS}/report.html\n\Z", said)


def test_numbers_of_the_archive_have_a_folder_of_their_own(tree: Path, said: str) -> None:
    with (tree / RESULTS / "cells.csv").open() as lines:
        cells = {(line["row"], line["column"]): line for line in csv.DictReader(lines)}
    assert cells["unified.t1.shallow-post", "bleu"]["status"] == "recorded"
    assert cells["liu2020.t1.6l-6l-default.de", "params_m"]["status"] == "recorded"
    assert [path.name for path in (tree / "results").iterdir()] == [RESULTS.name]


def test_every_format_is_there(tree: Path, said: str) -> None:
    for suffix in ("md", "tex"):
        assert "38.3" in (tree / RESULTS / f"tables/unified.{suffix}").read_text()


def test_a_paper_without_rows_of_the_headline_is_rendered(tree: Path, tmp_path: Path) -> None:
    report.main(scale="multi30k", papers=("liu2020",), root=tree, output=tmp_path)
    assert (tmp_path / "tables/liu2020.md").exists()

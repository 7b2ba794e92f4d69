"""Tables come from records/ alone: in seconds, without torch, and with no training planned."""

import csv
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from run_snakemake import jobs_of, run_snakemake

from projects import PARTS, ROOT, link

NEEDED = (*PARTS, "profiles", "records")
SETTINGS = ("--config", "from=records", "scale=multi30k", "papers=unified,liu2020")
RESULTS = Path("results/multi30k-records")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project without data and results, and without records of large scales."""
    tree = link(tmp_path_factory.mktemp("tree"), *PARTS, "profiles")
    (tree / ".venv").symlink_to(sys.prefix)
    (tree / "records").mkdir()
    for path in (ROOT / "records").iterdir():
        if path.suffix != ".jsonl" or path.stem in ("multi30k", "iwslt14-narrow"):
            (tree / "records" / path.name).symlink_to(path)
    return tree


@pytest.fixture(scope="module")
def said(tree: Path) -> str:
    """What is said in an environment that nobody activated, where torch cannot be imported."""
    stub = tree / "stub/torch/__init__.py"
    stub.parent.mkdir(parents=True)
    stub.write_text("raise ImportError('torch')")
    activated = sys.prefix == sys.base_prefix  # where there is no .venv
    environment = {
        "PATH": os.environ["PATH"] if activated else os.defpath,
        "HOME": os.environ["HOME"],
        "PYTHONPATH": str(tree / "stub"),
        "PYTHONSAFEPATH": "1",
    }
    found = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", "tables", *SETTINGS],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout + found.stderr


def planned(tree: Path, *flags: str) -> str:
    """What Snakemake says that it would do."""
    return run_snakemake(tree, "-n", "--cores", "1", *flags, *SETTINGS).stdout


def test_nothing_is_trained_nor_built(said: str) -> None:
    assert jobs_of(said).keys() == {"render", "tables"}


def test_the_last_lines_are_the_result_and_where_it_is(said: str) -> None:
    assert re.search(rf"lowest perplexity of .*\nOpen {RESULTS}/report.html\n", said)


def test_papers_that_are_not_requested_keep_their_tables(tree: Path, said: str) -> None:
    assert (tree / RESULTS / "tables/wang2019.md").exists()
    with (tree / RESULTS / "cells.csv").open() as lines:
        papers = {line["paper"] for line in csv.DictReader(lines)}
    assert papers == {path.stem for path in (ROOT / "papers").glob("*.yaml")}


@pytest.mark.slow
def test_numbers_of_the_archive_have_a_folder_of_their_own(tree: Path, said: str) -> None:
    with (tree / RESULTS / "cells.csv").open() as lines:
        cells = {(line["row"], line["column"]): line for line in csv.DictReader(lines)}
    assert cells["unified.t1.shallow-post", "bleu"]["status"] == "recorded"
    assert cells["liu2020.t1.6l-6l-default.de", "params_m"]["status"] == "recorded"
    assert [path.name for path in (tree / "results").iterdir()] == [RESULTS.name]


def test_every_format_is_there(tree: Path, said: str) -> None:
    for suffix in ("md", "tex"):
        assert "38.3" in (tree / RESULTS / f"tables/unified.{suffix}").read_text()


def test_the_report_of_snakemake_holds_page_tables_and_figures(
    tree: Path, said: str, tmp_path: Path
) -> None:
    packed = tmp_path / "packed.zip"
    found = run_snakemake(tree, "--cores", "1", "tables", *SETTINGS, "--report", str(packed))
    assert found.returncode == 0, found.stdout + found.stderr
    names = {Path(name).name for name in zipfile.ZipFile(packed).namelist()}
    assert {"report.html", "unified.md", "wang2019.tex", "unified.fig1.svg"} <= names


def test_the_whole_job_renders_all_papers_and_plans_no_training(tree: Path) -> None:
    found = planned(tree, "-p", "--forceall")
    assert jobs_of(found).keys() == {"render", "all"}
    [command] = re.findall(r"python workflow_scripts/jobs/render.py .*", found)
    assert "wang2019" in command


def test_what_another_command_measured_is_shown(tree: Path, said: str) -> None:
    assert "Nothing to be done" in planned(tree, "tables")
    path = tree / RESULTS / "speed.csv"
    path.write_text("measured\n")
    found = jobs_of(planned(tree, "tables")).keys()
    path.unlink()
    assert found == {"render", "tables"}

"""Tables come from records/ alone: in seconds, without torch, and with no training planned."""

import csv
import os
import re
import subprocess
from pathlib import Path

import pytest
from run_snakemake import SNAKEMAKE, jobs_of

from projects import PARTS, ROOT, link

pytestmark = pytest.mark.xdist_group("records_alone")
NEEDED = (*PARTS, "profiles", "records")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project without data and results, where torch cannot be imported."""
    tree = tmp_path_factory.mktemp("tree")
    link(tree, *NEEDED)
    stub = tree / "stub/torch/__init__.py"
    stub.parent.mkdir(parents=True)
    stub.write_text("raise ImportError('torch')")
    return tree


def snakemake(tree: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    path = f"{SNAKEMAKE.parent}{os.pathsep}{os.environ['PATH']}"
    command = [str(SNAKEMAKE), "--cores", "1", *flags, "--config", "from=records"]
    return subprocess.run(
        [*command, "scale=multi30k", "papers=unified,liu2020"],
        cwd=tree,
        env=os.environ | {"PATH": path, "PYTHONPATH": str(tree / "stub")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def said(tree: Path) -> str:
    found = snakemake(tree, "tables")
    assert found.returncode == 0, found.stderr
    return found.stdout + found.stderr


def test_nothing_is_trained_nor_built(said: str) -> None:
    assert jobs_of(said).keys() == {"render", "tables"}


def test_the_last_lines_are_the_result_and_where_it_is(said: str) -> None:
    assert re.search(r"is first of .*\nOpen results/multi30k-records/report.html\n", said)


def test_papers_that_are_not_requested_keep_their_tables(tree: Path, said: str) -> None:
    assert (tree / "results/multi30k-records/tables/wang2019.md").exists()
    with (tree / "results/multi30k-records/cells.csv").open() as lines:
        papers = {line["paper"] for line in csv.DictReader(lines)}
    assert papers == {path.stem for path in (ROOT / "papers").glob("*.yaml")}


def test_report_and_claims_are_those_of_all_papers(tree: Path) -> None:
    found = snakemake(tree, "-n", "-p", "--forceall", "report")
    [command] = re.findall(r"python workflow_scripts/render.py .*", found.stdout)
    assert "wang2019" in command


def test_an_export_of_records_is_refused(tree: Path) -> None:
    found = snakemake(tree, "-n", "export")
    assert found.returncode != 0
    said = found.stdout + found.stderr
    assert "from=records trains nothing, so there is nothing to export" in said
    assert "MissingInput" not in said


@pytest.mark.slow
def test_numbers_of_the_archive_have_a_folder_of_their_own(tree: Path, said: str) -> None:
    with (tree / "results/multi30k-records/cells.csv").open() as lines:
        cells = {(line["row"], line["column"]): line for line in csv.DictReader(lines)}
    assert cells["unified.t1.shallow-post", "bleu"]["status"] == "recorded"
    assert cells["liu2020.t1.6l-6l-default.de", "params_m"]["status"] == "recorded"
    assert [path.name for path in (tree / "results").iterdir()] == ["multi30k-records"]


@pytest.mark.parametrize("suffix", ["md", "html", "tex"])
def test_every_format_is_there(tree: Path, said: str, suffix: str) -> None:
    assert "38.3" in (tree / f"results/multi30k-records/tables/unified.{suffix}").read_text()


def test_the_whole_job_plans_no_training_either(tree: Path) -> None:
    found = snakemake(tree, "-n", "--forceall")
    assert found.returncode == 0, found.stderr
    assert not jobs_of(found.stdout).keys() & {"train", "resolve", "encode", "params", "probe"}


@pytest.mark.parametrize(
    "name", [pytest.param("significance/liu2020.table3.csv", marks=pytest.mark.slow), "speed.csv"]
)
def test_what_another_command_measured_is_shown(tree: Path, said: str, name: str) -> None:
    assert "Nothing to be done" in snakemake(tree, "-n", "tables").stdout
    path = tree / "results/multi30k-records" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("measured\n")
    found = jobs_of(snakemake(tree, "-n", "tables").stdout).keys()
    path.unlink()
    assert found == {"render", "tables"}

"""The workflow is run from other folders and imported by other workflows, in its own folder."""

import subprocess
from pathlib import Path

import pytest
from run_snakemake import run_snakemake
from small_toy import done
from test_reruns import made_up

from projects import PARTS, copy, link

SETTINGS = ("scale=multi30k", "papers=liu2020")
IMPORTING = """
module deepmt:
    snakefile: "{}/Snakefile"
    config: {{"scale": "multi30k", "papers": "liu2020"}}

use rule * from deepmt as deepmt_*

rule mine:
    default_target: True
    input: rules.deepmt_report.input
    output: "mine.txt"
    shell: "cp {{input}} {{output}}"
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return link(tmp_path_factory.mktemp("checkout"), *PARTS, "profiles", "records")


def test_it_runs_in_its_own_folder_wherever_it_is_called(checkout: Path, tmp_path: Path) -> None:
    command = ("-n", "--cores", "1", "report", "--config", *SETTINGS)
    found = run_snakemake(tmp_path, "-s", str(checkout / "Snakefile"), *command)
    assert found.returncode == 0, found.stderr
    assert "render" in found.stdout + found.stderr
    assert list(tmp_path.iterdir()) == []


def test_another_folder_for_its_results_is_refused(checkout: Path, tmp_path: Path) -> None:
    found = run_snakemake(checkout, "-n", "--cores", "1", "--directory", str(tmp_path))
    said = found.stdout + found.stderr
    assert found.returncode
    assert f"{checkout}: this workflow runs in its own folder; omit --directory" in said


def test_a_workflow_that_imports_it_can_name_every_job(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "Snakefile").write_text(IMPORTING.format(checkout))
    planned = run_snakemake(tmp_path, "-n", "--cores", "1")
    said = planned.stdout + planned.stderr
    assert planned.returncode == 0, said
    assert "Render the results of multi30k" in said


@pytest.mark.slow
def test_a_workflow_that_imports_it_reruns_nothing(tmp_path: Path) -> None:
    def report(root: Path, *flags: str) -> str:
        return done(root, "--cores", "1", "report", *flags, "--config", *SETTINGS).stdout

    (tmp_path / "imported").mkdir()
    report(made_up(tmp_path / "imported", report), "--touch", "--forceall")
    (tmp_path / "Snakefile").write_text(IMPORTING.format(tmp_path / "imported"))
    planned = run_snakemake(tmp_path, "-n", "--cores", "1")
    said = planned.stdout + planned.stderr
    assert planned.returncode == 0, said
    assert "mine" in said
    assert "deepmt_" not in said.partition("Job stats")[2].partition("total")[0]


def test_an_import_from_a_repository_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    (hosted := tmp_path / "hosted").mkdir()
    copy(hosted, "Snakefile")
    git = ("git", "-C", str(hosted), "-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "Snakefile")):
        subprocess.run([*git, *command], check=True)
    importing = tmp_path / "importing"
    importing.mkdir()
    place = f'gitfile("{hosted}", path="Snakefile", ref="main")'
    (importing / "Snakefile").write_text(IMPORTING.replace('"{}/Snakefile"', place).format())
    found = run_snakemake(importing, "-n", "--cores", "1")
    assert found.returncode
    assert (
        "clone its repository, and name the Snakefile of the clone" in found.stdout + found.stderr
    )
    assert [path.name for path in importing.iterdir() if path.name != ".snakemake"] == ["Snakefile"]

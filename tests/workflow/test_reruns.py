"""What an edit makes run again, and what a report packs: outputs are made up, nothing runs."""

import os
import shutil
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from run_snakemake import jobs_of
from small_toy import done

import projects

slow = partial(pytest.param, marks=pytest.mark.slow)
NOW, HOUR = time.time(), 3600


def made_up(root: Path, command: Callable[..., str]) -> Path:
    """Copy the project of two hours ago to `root`, with every output of `command` an hour old."""
    projects.copy(root, *projects.PARTS)
    for path in root.rglob("*"):
        date(path, hours=2)
    for line in command(root, "--summary").splitlines()[1:]:
        output = root / line.partition("\t")[0]
        output.parent.mkdir(parents=True, exist_ok=True)
        output.touch()
        date(output, hours=1)
    return root


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables and a report whose files are made up."""
    return made_up(tmp_path_factory.mktemp("project"), snakemake)


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    """The same for a test to spoil."""
    return shutil.copytree(made, tmp_path / "project")


def date(path: Path, hours: float) -> None:
    """Make a file some hours old."""
    os.utime(path, (NOW - hours * HOUR,) * 2)


def snakemake(root: Path, *flags: str) -> str:
    """What Snakemake says of tables and report with rows that train nothing."""
    settings = ("scale=multi30k-narrow", "papers=zhang2019", "rows=zhang2019.table2")
    return done(
        root, "--cores", "1", *flags, "--config", *settings, "--", "tables", "report"
    ).stdout


def again(root: Path) -> set[str]:
    """Rules that make something again."""
    return jobs_of(snakemake(root, "-n")).keys() - {"tables", "report"}


def test_what_another_command_measured_is_shown(root: Path) -> None:
    snakemake(root, "--touch", "--forceall")
    assert again(root) == set()
    (root / "results/multi30k-narrow/speed.csv").write_text("measured\n")
    assert again(root) == {"render"}


def test_the_report_of_snakemake_holds_page_and_tables(made: Path, tmp_path: Path) -> None:
    snakemake(made, "--report", str(tmp_path / "packed.zip"))
    names = {Path(name).name for name in zipfile.ZipFile(tmp_path / "packed.zip").namelist()}
    assert {"report.html", "unified.md", "wang2019.tex"} <= names


def edit(path: Path, old: str, new: str, hours: float = 0) -> None:
    """Change a file and make it some hours old."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    date(path, hours)


def test_what_is_brought_from_elsewhere_is_not_made_again(root: Path) -> None:
    shutil.rmtree(root / "data/code")
    assert again(root) == set()


def test_a_moved_checkout_makes_nothing_again(root: Path) -> None:
    snakemake(root, "--touch", "--forceall")
    assert again(root.rename(root.with_name("moved"))) == set()


def test_hidden_files_among_records_are_no_inputs(root: Path) -> None:
    (root / "records").mkdir()
    snakemake(root, "--touch", "--forceall")
    (root / "records/.multi30k.jsonl.0.tmp").write_text("{")
    (root / "records/.#multi30k.jsonl").symlink_to("someone@host.1")
    assert again(root) == set()


def test_a_damaged_sum_of_code_is_written_again(root: Path) -> None:
    paths = [*(root / "data/code").glob("jobs.render-*.sums")]
    whole = [path.read_bytes() for path in paths]
    for path in paths:
        path.write_bytes(b"\xff")
    assert again(root) == {"render"}
    assert paths
    assert [path.read_bytes() for path in paths] == whole


def change(path: Path, hours: float = 0) -> None:
    """Add a statement to a module and make it some hours old."""
    path.write_text(path.read_text() + "\nCHANGED = True\n")
    date(path, hours)


def test_other_code_counts_even_if_it_is_older_than_what_was_made(root: Path) -> None:
    change(root / "workflow_scripts/deepmt/measured/encoded_corpora.py", hours=2)
    assert again(root) == {"render"}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        slow("scales/multi30k-narrow.yaml", "captions, models", "captions; models"),
        ("scales/multi30k.yaml", "updates: 2400", "updates: 2500"),
        slow("corpora.yaml", "title: Multi30k", "partial: true\n    title: Multi30k"),
    ],
    ids=["note", "base", "partial"],
)
def test_settings_that_are_printed_or_judged_by_count(root, file, old, new) -> None:
    edit(root / file, old, new)
    assert again(root) == {"render"}

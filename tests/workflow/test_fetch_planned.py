"""`snakemake fetch` plans the archives of the rows asked for, and nothing else."""

import re
from pathlib import Path

import pytest
from test_workflow import ROOT, snakemake

from deepmt.config.corpora import load_corpora
from deepmt.config.settings import load_plan


def planned(*config: str) -> set[str]:
    found = snakemake("-n", "--forceall", "fetch", "--config", *config)
    assert found.returncode == 0, found.stderr
    rules = set(re.findall(r"^(\w+) +\d+$", found.stdout, re.MULTILINE)) - {"total"}
    assert rules <= {"fetch", "fetch_archive"}
    return set(re.findall(r"Fetch (\S+)$", found.stdout, re.MULTILINE))


def test_the_toy_scale_needs_no_network() -> None:
    assert planned("scale=toy", "rows=all") == set()


@pytest.mark.parametrize("paper", ["zhang2019", "liu2020"])
def test_a_paper_s_archives_are_planned_and_no_others(paper: str) -> None:
    config = {"scale": "paper", "papers": paper, "rows": "all"}
    corpora = load_corpora(ROOT / "corpora.yaml")
    runs = load_plan(Path(ROOT), config).runs.values()
    needed = {key for spec in runs for key in corpora.corpus(spec.data.corpus).archives}
    found = planned(*(f"{key}={value}" for key, value in config.items()))
    texts = {key for text in corpora.monolingual.values() for key in text.archives}
    assert needed
    assert found - texts == needed


@pytest.mark.parametrize(("mode", "status"), [("default", 1), ("subprocess", 0)])
def test_only_where_archives_are_fetched_must_their_folder_be_there(mode, status) -> None:
    found = snakemake("-n", "fetch", "--mode", mode, "--config", "mirror=/no/such")
    assert found.returncode == status
    assert ("no such folder: /no/such" in found.stdout + found.stderr) == bool(status)

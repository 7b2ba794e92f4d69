"""The full reproduction of the four papers is planned without a network and without its data."""

import re

import pytest
from test_workflow import snakemake


@pytest.mark.slow
def test_every_stage_of_the_full_reproduction_is_planned(tmp_path) -> None:
    papers = "papers=zhang2019,wang2019,bapna2018,liu2020"
    config = ("scale=paper", papers, "rows=all", "seeds=77", f"mirror={tmp_path}")
    found = snakemake("-n", "--forceall", "--config", *config)
    assert found.returncode == 0, found.stderr
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", found.stdout, re.MULTILINE))
    for rule in ("fetch_archive", "extract", "segment", "train", "translate", "score", "record"):
        assert int(jobs[rule]) >= 10, rule
    assert int(jobs["train"]) > 120
    assert "nist12/train.zh: The Chinese side of the LDC corpora" in found.stdout

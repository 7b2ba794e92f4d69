"""The plan's jobs are those that Snakemake counts."""

import re
from collections import Counter
from collections.abc import Mapping

import pytest
from test_workflow import ROOT, snakemake

from deepmt.config.settings import load_plan
from deepmt.estimate.graph import needed
from deepmt.estimate.jobs import all_jobs

SOME_ROWS = "zhang2019.t3.r13,liu2020.table4,wang2019.t1.r17,bapna2018.fig4"


def counted_by_snakemake(config: Mapping[str, str]) -> dict[str, int]:
    """Of a fresh checkout."""
    asked = [f"{key}={value}" for key, value in config.items()]
    found = snakemake("-n", "--forceall", "--quiet", "rules", "--config", *asked)
    assert found.returncode == 0, found.stderr
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", found.stdout + found.stderr, re.MULTILINE))
    return {rule: int(count) for rule, count in jobs.items() if rule != "total"}


def planned(config: Mapping[str, str]) -> dict[str, int]:
    jobs = all_jobs(load_plan(ROOT, config), ROOT)
    return dict(Counter(job.rule for job in needed(jobs, lambda path: False).values()))


@pytest.mark.parametrize("rows", ["headline", SOME_ROWS])
def test_jobs_by_rule_are_those_of_a_dry_run(rows: str) -> None:
    config = {"scale": "toy", "rows": rows}
    assert planned(config) == counted_by_snakemake(config)


@pytest.mark.slow
def test_so_they_are_at_the_full_scale() -> None:
    config = {"scale": "paper", "rows": "all", "seeds": "1,2"}
    assert planned(config) == counted_by_snakemake(config)

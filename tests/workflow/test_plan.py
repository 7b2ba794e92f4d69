"""The plan trains what Snakemake would train."""

from pathlib import Path

import pandas as pd
from run_snakemake import jobs_of
from test_workflow import ROOT, snakemake

import plan


def test_the_plan_has_the_trainings_of_a_dry_run(tmp_path: Path) -> None:
    words = ("papers=unified", "rows=unified.t1.shallow-post,unified.t1.deep-pre", "seeds=71,72")
    plan.main(config=(*words, "hardware=xeonx2"), root=ROOT, output=tmp_path / "plan.csv")
    found = pd.read_csv(tmp_path / "plan.csv")
    dry = snakemake("-n", "--quiet", "rules", "--config", *words)
    assert jobs_of(dry.stdout + dry.stderr)["train"] == 4
    assert list(found["seeds_left"]) == [2, 2]

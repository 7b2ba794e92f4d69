"""The plan trains what Snakemake would train."""

from run_snakemake import jobs_of
from test_workflow import ROOT, snakemake

import plan


def test_the_plan_has_the_trainings_of_a_dry_run() -> None:
    words = ("papers=unified", "rows=unified.t1.shallow-post,unified.t1.deep-pre", "seeds=71,72")
    found = plan.planned(plan.Args(config=(*words, "hardware=xeonx2"), root=ROOT))
    dry = snakemake("-n", "--quiet", "rules", "--config", *words)
    assert jobs_of(dry.stdout + dry.stderr)["train"] == 4
    assert [run.trainings for run in found.runs.values()] == [2, 2]
    assert all(run.sentences > 0 for run in found.runs.values())

"""The plan counts what Snakemake would run; a model that ships no counts is counted first."""

from pathlib import Path

import pandas as pd
import pytest
import small_toy
from run_snakemake import jobs_of
from test_workflow import ROOT, snakemake

import plan
from deepmt.estimate.dry_run import remaining_jobs

ASKED = ("--config", "papers=unified", f"rows={small_toy.ROW}", "seeds=1,2")


def test_the_plan_has_the_jobs_of_a_dry_run() -> None:
    words = ("papers=unified", "rows=unified.t1.shallow-post,unified.t1.deep-pre", "seeds=71,72")
    found = plan.planned(plan.Args(config=(*words, "hardware=xeonx2"), root=ROOT))
    dry = snakemake("-n", "--quiet", "rules", "--config", *words)
    assert found.jobs.by_rule == jobs_of(dry.stdout + dry.stderr)
    assert [run.trainings for run in found.runs.values()] == [2, 2]
    assert all(len(run.translations) >= 2 for run in found.runs.values())


def test_what_snakemake_refuses_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'toy'"):
        remaining_jobs(ROOT, ("scale=tyo",))


@pytest.mark.slow
def test_a_model_that_ships_no_counts_is_counted_before_it_is_planned(tmp_path: Path) -> None:
    root = small_toy.make_uncounted(tmp_path)
    run = small_toy.only_seed(root).parent
    printed = small_toy.done(root, "--cores", "1", "plan", *ASKED)
    assert (run / "estimate.json").exists()
    assert "Count parameters" in printed.stderr
    assert jobs_of(printed.stdout)["train"] == 2
    line = pd.read_csv(root / "results/toy/plan.csv").iloc[0]
    assert (line.run, line.seeds_left, line.memory_mb > 400) == (run.name, 2, True)

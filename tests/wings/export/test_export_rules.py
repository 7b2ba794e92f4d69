"""The rules of the export plan models that translate by themselves or elsewhere, and a crate."""

from run_snakemake import planned
from test_planned import TOY, assert_each_asks


def test_models_that_others_have_and_a_crate_are_planned() -> None:
    jobs = planned("export", "translator", "crate", "--config", *TOY)
    assert_each_asks(jobs)
    assert {"export_model", "translator", "crate"} <= {job["rule"] for job in jobs}
    alone = [job for job in jobs if job["rule"] == "standalone"]
    assert len(alone) == sum(job["rule"] == "train" for job in jobs)

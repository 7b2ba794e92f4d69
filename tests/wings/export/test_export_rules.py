"""The rules of the export plan models of every method that others have, and a crate."""

from run_snakemake import planned
from test_planned import TOY, assert_each_asks


def test_models_that_others_have_and_a_crate_are_planned() -> None:
    jobs = planned("export", "crate", "--config", *TOY)
    assert_each_asks(jobs)
    assert {"export_model", "crate"} <= {job["rule"] for job in jobs}

"""A wing can be deleted: the workflow needs none."""

import shutil
from pathlib import Path

from run_snakemake import planned

import projects


def test_the_default_job_is_planned_without_any_wing(tmp_path: Path) -> None:
    root = projects.checkout(tmp_path, "workflow_scripts")
    shutil.rmtree(root / "workflow_scripts/wings", ignore_errors=True)
    assert {"train", "render"} <= {job["rule"] for job in planned(root=root)}

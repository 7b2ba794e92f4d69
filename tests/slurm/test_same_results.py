"""A cluster computes what one machine computes."""

from pathlib import Path

import pytest
from cluster import Cluster
from project import Project, results


@pytest.fixture
def fresh(tmp_path: Path) -> Project:
    """Make a checkout without results."""
    project = Project(tmp_path / "cluster", rows=("shallow-post", "shallow-dlcl-pre"))
    project.fill(updates=60, checkpoint_every=20)
    return project


def test_the_workflow_on_a_cluster_ends_in_the_records_and_weights_of_one_machine(
    cluster: Cluster, fresh: Project, tmp_path: Path
) -> None:
    alone = fresh.copy_to(tmp_path / "alone")
    alone.locally("tables")
    assert fresh.ended(fresh.on_slurm("tables")) == 0, fresh.said
    assert "Seeds to train: 2, of 2 runs; about 1 min of one core." in fresh.said
    assert results(fresh) == results(alone)
    assert len(results(fresh)) == 2
    for rule in ("extract", "encode", "train", "translate"):
        assert f"_{rule}" in cluster.comments(), rule

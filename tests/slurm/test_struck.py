"""However a training on a cluster is broken off, it ends as if it had not been."""

import json
from collections.abc import Callable

import pytest
from cluster import Cluster, run
from project import Project, results


def cancel(cluster: Cluster, job: int) -> None:
    """Cancel a job, as a user does."""
    run("scancel", str(job))


def requeue(cluster: Cluster, job: int) -> None:
    """Requeue a job, as an administrator does."""
    run("scontrol", "requeue", str(job))


def preempt(cluster: Cluster, job: int) -> None:
    """Somebody with more rights needs the whole node for a moment."""
    run("sbatch", "--partition=urgent", "--exclusive", "--output=/dev/null", "--wrap=sleep 3")


def lose_node(cluster: Cluster, job: int) -> None:
    """SIGKILL to the node's daemons; the training itself lives on without anybody knowing."""
    cluster.kill_node()
    cluster.start_node()


def assert_same_end(project: Project, unbroken: Project, fewest: int = 2) -> None:
    """One record, the weights to the bit, every attempt in the log, and those that trained."""
    assert results(project) == results(unbroken)
    starts = [event["attempt"] for event in project.events("start")]
    assert starts == list(range(1, len(starts) + 1))
    assert len(starts) > 1
    assert project.events("resumed")
    assert project.events()[-1]["event"] == "end"
    outcome = json.loads((project.run / "outcome.json").read_text())
    assert fewest <= outcome["attempts"] <= len(starts)


@pytest.mark.parametrize("strike", [cancel, requeue, preempt, lose_node], ids=lambda s: s.__name__)
def test_a_training_struck_on_a_cluster_ends_as_if_it_had_not_been(
    cluster: Cluster,
    project: Project,
    unbroken: Project,
    strike: Callable[[Cluster, int], None],
) -> None:
    workflow = project.on_slurm(*project.files("record.json"))
    project.came("checkpoint", 2)
    (job,) = cluster.jobs("train", "RUNNING")
    strike(cluster, job)
    assert project.ended(workflow) == 0, project.said
    # What lives on may end before the next attempt has anything to train.
    assert_same_end(project, unbroken, fewest=1 if strike is lose_node else 2)


def test_a_training_longer_than_the_limit_is_asked_to_stop_and_goes_on_in_the_next_job(
    cluster: Cluster, project: Project, unbroken: Project
) -> None:
    limit = ["--set-resources", "train:runtime=1", "train:slurm_extra=--signal=TERM@5"]
    record = project.files("record.json")
    once = project.on_slurm(*record, *limit, "train:retries=0")
    assert project.ended(once) != 0, project.said
    saved = project.events("stopped")[-1]["update"]
    assert f"was asked to stop, and saved, after update {saved:,} of 3,200; run" in project.said
    assert project.ended(project.on_slurm(*record, *limit)) == 0, project.said
    assert_same_end(project, unbroken)
    stopped = [event["attempt"] for event in project.events("stopped")]
    assert stopped == [event["attempt"] for event in project.events("start")][:-1]

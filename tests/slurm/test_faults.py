"""Faults on a cluster are reported, lose no finished work and stop no other job."""

import re
import shutil
import socket
from pathlib import Path

from cluster import Cluster, run, wait
from project import Project, interrupt, results

PAGE = (Path(__file__).parents[2] / "docs/clusters.md").read_text()


def asked_as_the_page_says() -> str:
    """The command of docs/clusters.md that tells why a job waits."""
    (command,) = re.findall(r"^squeue .*$", PAGE, re.MULTILINE)
    return run("bash", "-c", command)


def test_a_cluster_that_starts_no_job_says_why_and_takes_nothing(
    cluster: Cluster, project: Project, unbroken: Project
) -> None:
    cluster.drain("new fans")
    workflow = project.on_slurm(*project.files("record.json"))
    wait(lambda: cluster.jobs("train", "PENDING"), "a waiting job")
    wait(lambda: "drain" in asked_as_the_page_says().lower(), "the reason")
    assert "train" in asked_as_the_page_says()
    interrupt(workflow)
    assert project.ended(workflow) != 0
    assert not cluster.jobs("train", "PENDING")
    cluster.resume()
    assert project.ended(project.on_slurm(*project.files("record.json"))) == 0, project.said
    assert results(project) == results(unbroken)


def test_a_node_without_the_gpu_it_promised_stops_its_own_job_alone(
    cluster: Cluster, project: Project, unbroken: Project
) -> None:
    other = Project(project.folder, seeds=(1, 2))
    shutil.copytree(unbroken.run / "resume", project.run / "resume")
    for name in ("log.jsonl", "outcome.json"):
        shutil.copy(unbroken.run / name, project.run)
    flags = ("--set-resources", "train:gpu=1", "train:retries=1")
    workflow = other.on_slurm(*other.files("record.json"), *flags)
    assert other.ended(workflow) != 0
    first, second = (project.folder / target for target in other.files("record.json"))
    assert first.exists()
    assert not second.with_name("outcome.json").exists()
    (log,) = (project.folder / "logs/train").rglob("*.seed2.log")
    assert f"needs 1 GPU on {socket.gethostname()}" in log.read_text()

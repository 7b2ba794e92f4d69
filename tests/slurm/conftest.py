"""Start a cluster once; make projects before their training, and one that ran undisturbed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import CannotInstall, Cluster
from project import Project

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Minutes on a cluster of one's own are only for those who name this folder."""
    if not any(Path(arg.split("::")[0]).resolve().is_relative_to(HERE) for arg in config.args):
        for item in items:
            if item.path.is_relative_to(HERE):
                item.add_marker(pytest.mark.skip(reason="takes minutes: make test-slurm"))


@pytest.fixture(scope="session")
def daemons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster, or a reason why there is none."""
    cluster = Cluster(tmp_path_factory.mktemp("slurm"))
    try:
        cluster.start()
        yield cluster
    except CannotInstall as reason:
        pytest.skip(f"no Slurm: {reason}")
    finally:
        cluster.stop()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Text, spec and first weights of a training that takes about a minute."""
    project = Project(tmp_path_factory.mktemp("prepared") / "project")
    project.fill(updates=3200, checkpoint_every=200)
    project.locally(*project.files("init.safetensors"))
    return project


@pytest.fixture(scope="session")
def unbroken(prepared: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The same, trained and translated on this machine without a cluster."""
    project = prepared.copy_to(tmp_path_factory.mktemp("unbroken") / "project")
    project.locally(*project.files("record.json"))
    return project


@pytest.fixture
def project(prepared: Project, tmp_path: Path) -> Iterator[Project]:
    """Make a project that is ready to train."""
    found = prepared.copy_to(tmp_path / "project")
    yield found
    for process in found.processes:
        process.kill()
        process.wait()


@pytest.fixture
def cluster(daemons: Cluster) -> Iterator[Cluster]:
    """The cluster with an empty queue."""
    yield daemons
    daemons.clear()

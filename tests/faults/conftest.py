"""An unbroken run to compare with, and broken ones that start where it did."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from runs import Run


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the unbroken run lies."""
    return tmp_path_factory.mktemp("unbroken") / "run"


@pytest.fixture
def prepared(kept: Path, dataset: Path) -> Run:
    """A run with its spec and first weights."""
    run = Run(kept, dataset)
    if not run.init.exists():
        run.prepare()
    return run


@pytest.fixture
def unbroken(prepared: Run) -> Run:
    """A finished run that nobody disturbed."""
    if not prepared.model.exists():
        prepared.finish()
    return prepared


@pytest.fixture
def fresh(prepared: Run, tmp_path: Path) -> Iterator[Callable[[str], Run]]:
    """Runs by name, with the spec and the first weights of the unbroken one and nothing else."""
    made: list[Run] = []

    def make(name: str) -> Run:
        run = Run(tmp_path / name, prepared.dataset)
        run.folder.mkdir()
        for file in ("spec.json", "init.safetensors"):
            (run.folder / file).write_bytes((prepared.folder / file).read_bytes())
        made.append(run)
        return run

    yield make
    for process in (process for run in made for process in run.processes):
        process.kill()
        process.wait()


@pytest.fixture
def run(fresh: Callable[[str], Run]) -> Run:
    """One of them."""
    return fresh("run")

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
def unbroken(kept: Path, dataset: Path) -> Run:
    """A finished run that nobody disturbed."""
    run = Run(kept, dataset)
    if not run.model.exists():
        run.prepare()
        run.finish()
    return run


@pytest.fixture
def fresh(unbroken: Run, tmp_path: Path) -> Iterator[Callable[[str], Run]]:
    """Runs by name, with the spec and the first weights of the unbroken one and nothing else."""
    made: list[Run] = []

    def make(name: str) -> Run:
        run = Run(tmp_path / name, unbroken.dataset)
        run.folder.mkdir()
        for file in ("spec.json", "init.safetensors"):
            (run.folder / file).write_bytes((unbroken.folder / file).read_bytes())
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

"""Shared by all tests: one thread, and a tiny encoded corpus."""

import gc
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

os.environ["OMP_NUM_THREADS"] = "1"
"""Threads of the programs that tests start: two tests run at a time."""
signal.signal(signal.SIGINT, signal.default_int_handler)
"""What a script starts in the background ignores Ctrl-C, and so would all that tests start."""
hypothesis.settings.register_profile("project", deadline=None)  # a busy machine is no fault
hypothesis.settings.load_profile("project")
LAST = [Path(__file__).with_name(name) for name in ("unit", "claims")]
"""Folders of fast tests."""
WINGS = Path(__file__).parents[1] / "workflow_scripts/wings"
collect_ignore = [
    f"wings/{tests.name}"
    for tests in Path(__file__).with_name("wings").iterdir()
    if not (WINGS / tests.name / "__init__.py").exists()
]
"""Tests of wings that are not there."""


def pytest_collection_finish() -> None:
    """What is imported stays: leave it out of every collection of garbage, which is then fast."""
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest, so that no process waits for the other at the end."""
    items.sort(key=lambda item: item.path.parent in LAST)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Bit-identical sums need a fixed number of threads."""
    import torch  # here: the process that hands out tests then starts seconds earlier

    torch.set_num_threads(1)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """An encoded corpus of made-up words."""
    from tiny_runs import new_dataset

    return new_dataset(tmp_path / "dataset")


@pytest.fixture
def limited() -> Iterator[None]:
    """No file may have more than 8 kB, which ends a write as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)

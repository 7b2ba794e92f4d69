"""An unbroken run to compare with, broken ones that start where it did, a table of faults."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from runs import Run, Tally


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Tally:
    """It goes with the test's report, so that it counts whichever process ran the test."""
    return lambda kind, clear, lost: record_property("fault", [kind, clear, lost])


ENDS = ("passed", "failed", "xfailed")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was tried, how often the outcome was clear, and what was lost."""
    rows: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for report in (r for ended in ENDS for r in terminalreporter.getreports(ended)):
        for name, fault in report.user_properties:
            if name == "fault":
                kind, *found = fault
                rows[kind] = [a + b for a, b in zip(rows[kind], [1, *found], strict=True)]
    if rows:
        terminalreporter.section("faults")
        terminalreporter.line(f"{'':40}{'tried':>8}{'clear':>8}{'lost':>8}")
    for kind, found in sorted(rows.items()):
        terminalreporter.line(f"{kind:40}" + "".join(f"{count:8}" for count in found))


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

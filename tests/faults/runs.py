"""A run in a folder of its own, started, struck and judged from outside, by its files alone."""

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from deepmt.base.files import sha256
from tiny import tiny_spec
from tiny_runs import SCRIPTS, new_run

SABOTEUR = Path(__file__).with_name("saboteur.py")
PATIENCE = 180.0
SPEC = tiny_spec(training__updates=100, training__checkpoint_every=5, training__average_last=3)

Moment = dict[str, Any]


@dataclass
class Run:
    """One seed of a run; `train` and `average` start the scripts that a user starts."""

    folder: Path
    dataset: Path
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    def script(
        self,
        name: str,
        *flags: object,
        moment: Moment | None = None,
        environment: dict[str, str] | None = None,
        within: Sequence[str] = (),
    ) -> Any:
        """Start a script, to be struck at a moment of its life if one is given.

        `within` is a command that runs the one that follows it.
        """
        before = [str(SABOTEUR), json.dumps(moment)] if moment else []
        path = SCRIPTS.joinpath(*name.split(".")).with_suffix(".py")
        command = [*within, sys.executable, *before, str(path), *map(str, flags)]
        variables = os.environ | (environment or {})
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=variables)
        self.processes.append(process)
        return process

    def prepare(self, spec: Any = SPEC) -> None:
        """Write the spec and draw the first weights."""
        new_run(self.folder, self.dataset, spec)

    def train(self, *flags: object, **how: Any) -> Any:
        """Start the trainer."""
        own = ["--spec", self.folder / "spec.json", "--dataset", self.dataset, "--seed", 1]
        own += ["--init", self.init, "--output", self.folder / "outcome.json"]
        return self.script("jobs.train", *own, *flags, **how)

    def average(self, moment: Moment | None = None) -> Any:
        """Start the averaging."""
        flags = ["--spec", self.folder / "spec.json", "--output", self.model]
        flags += ["--outcome", self.folder / "outcome.json"]
        return self.script("jobs.average", *flags, moment=moment)

    def finish(self) -> dict[str, Any]:
        """Train to the end and average; return the outcome."""
        for start in (self.train, self.average):
            status, said = ended(start())
            assert status == 0, said
        return self.outcome

    def copy_to(self, folder: Path) -> "Run":
        """The same files elsewhere."""
        shutil.copytree(self.folder, folder, copy_function=shutil.copy)
        return Run(folder, self.dataset)

    @property
    def init(self) -> Path:
        return self.folder / "init.safetensors"

    @property
    def model(self) -> Path:
        return self.folder / "model.safetensors"

    @property
    def done(self) -> bool:
        return (self.folder / "outcome.json").exists()

    @property
    def outcome(self) -> dict[str, Any]:
        return json.loads((self.folder / "outcome.json").read_text())

    @property
    def log_lines(self) -> list[bytes]:
        log = self.folder / "log.jsonl"
        return log.read_bytes().split(b"\n") if log.exists() else []

    def events(self, kind: str = "") -> list[dict[str, Any]]:
        """Events of the log in order; what a kill cut short is left out."""
        found = [json.loads(line) for line in self.log_lines if line.endswith(b"}")]
        return [event for event in found if kind in ("", event["event"])]

    def states(self) -> list[Path]:
        """Training states by update, oldest first."""
        return sorted((self.folder / "resume").glob("state-*"))


def ended(process: Any) -> tuple[int, str]:
    """Wait for a process; its exit status and what it said.

    Raises:
        RuntimeError: it was to be struck at a moment that never came, so the test tests nothing.
    """
    said = process.communicate(timeout=PATIENCE)[1]
    if "missed: " in said:
        raise RuntimeError(said)
    return process.returncode, said


def kill_at(event: str, match: str = "", count: int = 1) -> Moment:
    """The moment just before an event, for a kill."""
    return {"signal": "SIGKILL", "event": event, "match": match, "count": count}


def halted(process: Any) -> Any:
    """Wait until a process has been stopped."""
    assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
    return process


def mount(folder: Path, *options: str) -> None:
    """Mount something on a folder, or skip the test where we may not."""
    try:
        done = subprocess.run(
            ["mount", *options, str(folder)], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        pytest.skip("no mount program")
    if done.returncode:
        pytest.skip(f"cannot mount: {done.stderr.strip()}")


def came(run: Run, process: Any, kind: str, count: int = 1) -> bool:
    """Wait until this attempt has logged `count` such events; return False if it ended before."""
    wanted = len(run.events(kind)) + count
    until = time.monotonic() + PATIENCE
    while len(run.events(kind)) < wanted:
        if process.poll() is not None:
            return False
        if time.monotonic() > until:
            raise RuntimeError(f"no event {kind}")
        time.sleep(0.005)
    return True


def assert_files_whole(run: Run) -> None:
    """Every file whose name holds a hash has that hash."""
    for path in (run.folder / "resume").glob("*-*-*.*"):
        if not path.name.startswith("."):
            assert sha256(path).startswith(path.stem.rsplit("-", 1)[1]), path


def assert_log_whole(run: Run) -> None:
    """Attempts are numbered in order, and no checkpoint between two others is missing."""
    for line, following in pairwise(run.log_lines):
        assert line.endswith(b"}") or b'"start"' in following, line
    starts = [event["attempt"] for event in run.events("start")]
    assert starts == list(range(1, len(starts) + 1))
    attempts = [event["attempt"] for event in run.events()]
    assert attempts == sorted(attempts)
    saved = here = 0
    for event in run.events():
        if event["event"] == "start":
            here = 0
        elif event["event"] == "resumed":
            assert event["update"] >= saved
            saved = here = event["update"]
        elif event["event"] == "checkpoint":
            assert 0 <= event["update"] - here <= SPEC.training.checkpoint_every
            saved = here = event["update"]


def assert_same_end(run: Run, unbroken: Run) -> None:
    """Weights to the bit, nothing corrupt, no line of the log lost."""
    assert sha256(run.model) == sha256(unbroken.model)
    for key in ("outcome", "updates", "epochs", "target_tokens", "train_loss", "averaged"):
        assert run.outcome[key] == unbroken.outcome[key], key
    assert_files_whole(run)
    assert_log_whole(run)
    assert run.log_lines[-1] == b""
    assert run.events()[-1]["event"] == "end"
    assert 1 <= run.outcome["attempts"] <= len(run.events("start"))


def random_moments() -> Iterator[float]:
    """Numbers in [0, 1) without end; FAULT_SEED=N draws those of an earlier test again."""
    seed = int(os.environ.get("FAULT_SEED") or time.time_ns() % 10**9)
    print(f"FAULT_SEED={seed}")
    draw = random.Random(seed)
    while True:
        yield draw.random()

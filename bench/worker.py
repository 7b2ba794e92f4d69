"""How the benchmark talks to a process that runs one system: one line of JSON each way.

The worker greets with its system's name; then each request, a list of batches, is answered with
`{"seconds": ...}`. Standard library and numpy only: the environments of the peers import this file.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bench.workload import Sentences, Size, TrainingBatch

LAST_LINES = 3
SECONDS_TO_ANSWER = 1800

Work = TypeVar("Work", TrainingBatch, Sentences)


@dataclass(frozen=True)
class Task:
    """The arguments of a worker."""

    work: str
    """Name of the adapter's function that builds the system: train, decode, ..."""
    size: Size
    threads: int = 1
    device: str = "cpu"
    precision: str = "float32"

    @classmethod
    def read(cls, text: str) -> "Task":
        """Read a task from JSON."""
        fields = json.loads(text)
        return cls(**fields | {"size": Size(**fields["size"])})

    def write(self) -> str:
        """Write the task as JSON."""
        return json.dumps(asdict(self))

    def only(self, *precisions: str, device: str | None = None) -> None:
        """Raise ValueError for a precision or device that a system does not have."""
        if self.precision not in precisions:
            known = " and ".join(precisions)
            raise ValueError(f"computes in {known} only, not in {self.precision}")
        if device and self.device != device:
            raise ValueError(f"computes on {device} only")


@dataclass(frozen=True, kw_only=True)
class System:
    """A model ready for its work."""

    name: str
    version: str
    parameters: int
    run: Callable[[Sequence[Any]], float]
    """Do the work of each batch and check it; return the seconds that the work took."""


def each(step: Callable[[Work], Any]) -> Callable[[Sequence[Work]], float]:
    """Make `System.run` of a function that does the work of one batch and returns the result."""

    def run(batches: Sequence[Work]) -> float:
        began = time.perf_counter()
        results = [step(batch) for batch in batches]
        seconds = time.perf_counter() - began
        for batch, result in zip(batches, results, strict=True):
            batch.check(result)
        return seconds

    return run


class WorkerFailed(Exception):
    """A worker did not answer; the message is the reason or the end of its log."""


class Worker:
    """The benchmark's end: a process that builds one system and works on request."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        """Start the process and wait for its greeting.

        Raises:
            WorkerFailed: it could not build its system.
        """
        self.log = log
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=dict(environment),
                text=True,
                start_new_session=True,
            )
        self.greeting = self._answer()

    def run(self, batches: Sequence[TrainingBatch | Sentences]) -> float:
        """Return the seconds that the work of these batches took.

        Raises:
            WorkerFailed: the process ended instead of answering.
        """
        assert self.process.stdin is not None
        arrays = [{name: ids.tolist() for name, ids in vars(batch).items()} for batch in batches]
        try:
            self.process.stdin.write(json.dumps(arrays) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # `_answer` reads the reason from the log
        return float(self._answer()["seconds"])

    def close(self) -> None:
        """End the requests and wait for the process."""
        self.process.communicate()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        if not select.select([self.process.stdout], [], [], SECONDS_TO_ANSWER)[0]:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise WorkerFailed(f"no answer in {SECONDS_TO_ANSWER} s ({self.log})")
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            with self.log.open(errors="replace") as lines:
                last = deque((line.strip() for line in lines if line.strip()), LAST_LINES)
            raise WorkerFailed(f"exit status {status}: {' | '.join(last)} ({self.log})")
        answer: dict[str, Any] = json.loads(line)
        return answer


def serve(**builders: Callable[[Task], System]) -> None:
    """Build the system of the command line's task, greet, answer until the requests end.

    `train` works on training batches, every other builder on sentences to translate.
    """
    # Whatever a toolkit prints goes to the log: answers have the pipe to themselves.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    task = Task.read(sys.argv[1])
    system = builders[task.work](task)
    greeting = {key: value for key, value in vars(system).items() if key != "run"}
    print(json.dumps(greeting), file=answers, flush=True)
    kind = TrainingBatch if task.work == "train" else Sentences
    for line in sys.stdin:
        batches = [
            kind(**{name: np.array(ids) for name, ids in arrays.items()})
            for arrays in json.loads(line)
        ]
        system.run(batches[:1])  # until now, memory and caches were used by others
        seconds = system.run(batches)
        release_memory()
        print(json.dumps({"seconds": seconds}), file=answers, flush=True)


def release_memory() -> None:
    """Return free pages to the operating system: all workers wait side by side."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc holds freed pages
    if trim is not None:
        trim(0)

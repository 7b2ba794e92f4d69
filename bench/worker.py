"""Communicate with a process that runs one system, by one line of JSON each way.

The worker first sends its system's name; then it replies to each request, a list of batches, with
`{"seconds": ...}`. Standard library and numpy only: the environments of the peers import this file.
"""

import ctypes
import gc
import json
import os
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

Work = TypeVar("Work", TrainingBatch, Sentences)


@dataclass(frozen=True)
class Task:
    """Hold the arguments of a worker."""

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


@dataclass(frozen=True, kw_only=True)
class System:
    """Hold a model ready for its work."""

    name: str
    version: str
    parameters: int
    run: Callable[[Sequence[Any]], float]
    """Process each batch and check the result; return the seconds of the work."""


def each(step: Callable[[Work], Any]) -> Callable[[Sequence[Work]], float]:
    """Return `System.run` for a function that processes one batch and returns the result."""

    def run(batches: Sequence[Work]) -> float:
        began = time.perf_counter()
        results = [step(batch) for batch in batches]
        seconds = time.perf_counter() - began
        for batch, result in zip(batches, results, strict=True):
            batch.check(result)
        return seconds

    return run


class WorkerFailed(Exception):
    """Signal that a worker cannot start or does not reply; the message says why."""


class Worker:
    """Control a process that builds one system and processes batches on request."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        """Start the process and wait for its first message.

        Raises:
            WorkerFailed: if it could not build its system.
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
            )
        self.greeting = self._reply()

    def run(self, batches: Sequence[TrainingBatch | Sentences]) -> float:
        """Return the seconds that the worker needed for these batches.

        Raises:
            WorkerFailed: if the process ended without a reply.
        """
        assert self.process.stdin is not None
        arrays = [{name: ids.tolist() for name, ids in vars(batch).items()} for batch in batches]
        try:
            self.process.stdin.write(json.dumps(arrays) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # `_reply` reads the reason from the log
        return float(self._reply()["seconds"])

    def close(self) -> None:
        """Close the input and wait for the process."""
        self.process.communicate()

    def _reply(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait()
            with self.log.open(errors="replace") as lines:
                last = deque((line.strip() for line in lines if line.strip()), LAST_LINES)
            raise WorkerFailed(f"exit status {status}: {' | '.join(last)} ({self.log})")
        reply: dict[str, Any] = json.loads(line)
        return reply


def serve(build: Callable[[], System], task: Task) -> None:
    """Build the system of a task, send its description, and reply to requests.

    `train` works on training batches, all other work on sentences to translate.
    """
    # Output of a toolkit goes to the log: the pipe is for replies only.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    system = build()
    gc.freeze()  # as our scripts do: imports and the model are no garbage
    greeting = {key: value for key, value in vars(system).items() if key != "run"}
    print(json.dumps(greeting), file=replies, flush=True)
    kind = TrainingBatch if task.work == "train" else Sentences
    for line in sys.stdin:
        batches = [
            kind(**{name: np.array(ids) for name, ids in arrays.items()})
            for arrays in json.loads(line)
        ]
        system.run(batches[:1])  # warm up: others used memory and caches meanwhile
        seconds = system.run(batches)
        release_memory()
        print(json.dumps({"seconds": seconds}), file=replies, flush=True)


def release_memory() -> None:
    """Return free pages to the operating system, since all workers stay in memory."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc holds freed pages
    if trim is not None:
        trim(0)

"""How the benchmark talks to a worker process: one line of JSON each way.

The worker greets with what it is; then each request `{"steps": [numbers of batches]}` is answered
with `{"seconds", "tokens", "flops", "peak_memory_mb", "disturbance"}`, and `{"rest": true}` with
`{}`. Standard library and numpy only: the environments of the peers import this file too.
"""

import argparse
import ctypes
import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.sentences import Sentences
from bench.workload import Batch, Kind, Size, Workload

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
LAST_LINES = 3
SECONDS_TO_ANSWER = 1800


@dataclass(frozen=True)
class Task:
    """What a worker is started with."""

    work: str
    """Which of an adapter's functions builds the system: train, decode, ..."""
    workload: Path
    threads: int
    device: str
    precision: str


def own_peak_memory_mb() -> float:
    """Largest resident memory of this process so far."""
    # What `resource` tells of it starts from the memory of the process that started it.
    lines = Path("/proc/self/status").read_text().splitlines()
    [kilobytes] = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(kilobytes) / 1024


def peak_memory_of_children_mb() -> float:
    """Largest resident memory of a process that this one has started and that has ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def standard_flops(size: Size, batch: Any) -> float:
    """A batch's own count, which is that of the standard model."""
    return float(batch.flops(size))


@dataclass(frozen=True, kw_only=True)
class System:
    """A model ready for its work, and how it does it."""

    name: str
    version: str
    parameters: int
    run: Callable[[Sequence[Any]], float]
    """Do the work of each batch, check it; return the seconds that the work took."""
    peak_memory_mb: Callable[[], float] = own_peak_memory_mb
    flops: Callable[[Size, Any], float] = standard_flops


def each(step: Callable[[Kind], Any]) -> Callable[[Sequence[Kind]], float]:
    """`System.run` of a function that does the work of one batch and returns the result."""

    def run(batches: Sequence[Kind]) -> float:
        began = time.perf_counter()
        results = [step(batch) for batch in batches]
        seconds = time.perf_counter() - began
        for batch, result in zip(batches, results, strict=True):
            batch.check(result)
        return seconds

    return run


class Load:
    """How busy this process and the whole machine are from now on."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.all = _busy_seconds()
        self.own = _own_seconds()

    def disturbance(self, threads: int) -> float:
        """Share of the time of `threads` cores that others took; what spare cores gave is free."""
        seconds = time.perf_counter() - self.began
        others = (_busy_seconds() - self.all) - (_own_seconds() - self.own)
        spare = max(0, (os.cpu_count() or 1) - threads) * seconds
        return max(0.0, others - spare) / (seconds * threads)


def _busy_seconds() -> float:
    """CPU seconds that all processes of the machine have used, and those its host has taken."""
    words = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    user, nice, system, _idle, _waiting, hardware, software, stolen = map(int, words[1:9])
    return (user + nice + system + hardware + software + stolen) / TICKS_A_SECOND


def _own_seconds() -> float:
    used = os.times()
    ended = used.children_user + used.children_system
    return used.user + used.system + ended + sum(map(_cpu_seconds, _children()))


def _children() -> list[str]:
    """Processes that this one has started and that have not ended."""
    return [
        pid
        for file in Path("/proc/self/task").glob("*/children")
        for pid in file.read_text().split()
    ]


def _cpu_seconds(pid: str) -> float:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0.0
    return sum(map(int, after_name[11:15])) / TICKS_A_SECOND


class WorkerFailed(Exception):
    """A worker did not answer; the message says why, or is the end of its log."""


class Worker:
    """The benchmark's end: a process that builds one system and works when asked."""

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

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for the answer.

        Raises:
            WorkerFailed: the process ended instead of answering.
        """
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # its last words are in the log, which `_answer` reads
        return self._answer()

    def close(self) -> None:
        """No more requests: wait until the process has tidied up and gone."""
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


def give_back_memory() -> None:
    """Let the system have the pages that are free: as many workers as systems wait side by side."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc keeps so many
    if trim is not None:
        trim(0)


def serve(**builders: Callable[[Size, Task], System]) -> None:
    """The worker's end: build the system, greet, answer until the requests end.

    `train` works on batches; every other builder is given sentences to translate.
    """
    # Whatever a toolkit prints goes to the log: answers have the pipe to themselves.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    task = _task(sys.argv[1:])
    kind: type[Any] = Batch if task.work == "train" else Sentences
    workload = Workload.load(task.workload, kind)
    system = builders[task.work](workload.size, task)
    _say(answers, name=system.name, version=system.version, parameters=system.parameters)
    for line in sys.stdin:
        request = json.loads(line)
        if "rest" in request:
            give_back_memory()
            _say(answers)
            continue
        batches = [workload.batches[i] for i in request["steps"]]
        load = Load()
        seconds = system.run(batches)
        _say(
            answers,
            seconds=seconds,
            tokens=sum(batch.target_tokens for batch in batches),
            flops=sum(system.flops(workload.size, batch) for batch in batches),
            peak_memory_mb=round(system.peak_memory_mb()),
            disturbance=load.disturbance(task.threads),
        )


def _task(argv: Sequence[str]) -> Task:
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", required=True)
    parser.add_argument("--workload", type=Path, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--precision", required=True)
    return Task(**vars(parser.parse_args(argv)))


def _say(answers: Any, **fields: Any) -> None:
    answers.write(json.dumps(fields) + "\n")
    answers.flush()

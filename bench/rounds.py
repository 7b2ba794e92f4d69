"""Measure systems alternately on the same batches, so that changes of speed affect all."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psutil

from bench.worker import Worker, WorkerFailed

WARMUP_BATCHES = 2
DISTURBED = 0.05
"""Share of the threads' CPU time that other processes may use before a step is repeated."""
MOST_REPEATS = 3


@dataclass(frozen=True)
class Measurement:
    """Hold the measurement of one system in one round."""

    tokens_per_s: float
    disturbance: float
    repeats: int


@dataclass
class Rounds:
    """Hold the measurements of all systems, paired by round."""

    measurements: dict[str, list[Measurement]]
    failed: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def without_failed(self, name: str) -> Iterator[None]:
        """Leave a system out, with the reason, if its worker fails; the others continue."""
        try:
            yield
        except WorkerFailed as error:
            self.failed[name] = str(error)
            del self.measurements[name]


class Load:
    """Measure the CPU time of the machine and of a worker from now on."""

    def __init__(self, pid: int) -> None:
        self.process = psutil.Process(pid)
        self.began = time.perf_counter()
        self.all, self.own = busy_seconds(), cpu_seconds(self.process)

    def disturbance(self, threads: int) -> float:
        """Return the share of the time of `threads` cores that other processes used."""
        seconds = time.perf_counter() - self.began
        others = (busy_seconds() - self.all) - (cpu_seconds(self.process) - self.own)
        # Time on the remaining cores does not disturb.
        spare = max(0, (os.cpu_count() or 1) - threads) * seconds
        return max(0.0, others - spare) / (seconds * threads)


def busy_seconds() -> float:
    """Return the CPU seconds of all processes, including time stolen by the host."""
    times = psutil.cpu_times()
    kinds = ("user", "nice", "system", "irq", "softirq", "steal")
    return sum(getattr(times, kind, 0.0) for kind in kinds)


def cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU seconds of a process and its children."""
    family = [process, *process.children(recursive=True)]
    return sum(sum(each.cpu_times()[:4]) for each in family)


def measure(
    workers: dict[str, Worker], batches: Sequence[Any], *, rounds: int, threads: int
) -> Rounds:
    """Warm up all workers, then measure each alone, rotating the order between rounds."""
    found = Rounds({name: [] for name in workers})
    for name, worker in workers.items():
        with found.without_failed(name):
            worker.run(batches[:WARMUP_BATCHES])
    for number, chosen in enumerate(batches_of_rounds(batches[WARMUP_BATCHES:], rounds)):
        for name in rotated(list(found.measurements), number):
            with found.without_failed(name):
                measured = undisturbed(workers[name], chosen, threads)
                found.measurements[name].append(measured)
        speeds = (f"{name} {m[-1].tokens_per_s:,.0f}" for name, m in found.measurements.items())
        progress = f"round {number + 1}/{rounds}, target tokens/s:"
        print(progress, ", ".join(speeds), file=sys.stderr, flush=True)
    return found


def batches_of_rounds(batches: Sequence[Any], rounds: int) -> list[Sequence[Any]]:
    """Divide the batches among the rounds."""
    each = len(batches) // rounds
    return [batches[r * each : (r + 1) * each] for r in range(rounds)]


def rotated(names: Sequence[str], by: int) -> list[str]:
    """Return the names rotated to the left by `by`."""
    by %= len(names) or 1
    return [*names[by:], *names[:by]]


def undisturbed(worker: Worker, batches: Sequence[Any], threads: int) -> Measurement:
    """Return the first undisturbed measurement, or the least disturbed one."""
    tokens = sum(batch.target_tokens for batch in batches)
    attempts: list[Measurement] = []
    while len(attempts) <= MOST_REPEATS:
        load = Load(worker.process.pid)
        seconds = worker.run(batches)
        disturbance = load.disturbance(threads)
        attempts.append(Measurement(tokens / seconds, disturbance, len(attempts)))
        if disturbance <= DISTURBED:
            break
    return min(attempts, key=lambda attempt: attempt.disturbance)

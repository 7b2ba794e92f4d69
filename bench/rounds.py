"""Systems in turn on the same batches, so that a change of the machine's speed meets them all."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from bench.protocol import Worker, WorkerFailed
from bench.workload import Workload

WARMUP_BATCHES = 2
DISTURBED = 0.05
"""Share of the CPU time of a step's threads that others may take before it is repeated."""
MOST_REPEATS = 3


@dataclass(frozen=True)
class Measurement:
    """Some steps of one system."""

    tokens_per_s: float
    gflops: float
    peak_memory_mb: float
    disturbance: float
    repeats: int


@dataclass
class Rounds:
    """What was measured; the lists of one system are paired with those of another."""

    measurements: dict[str, list[Measurement]]
    matrix_gflops: dict[str, dict[str, float]] = field(default_factory=dict)
    """The best of all rounds, by data type and library."""
    failed: dict[str, str] = field(default_factory=dict)

    def see(self, rates: dict[str, dict[str, float]]) -> None:
        """Matrix rates of one round."""
        for dtype, libraries in rates.items():
            best = self.matrix_gflops.setdefault(dtype, {})
            for library, rate in libraries.items():
                best[library] = max(rate, best.get(library, 0.0))

    @contextmanager
    def without_failed(self, name: str) -> Iterator[None]:
        """A system whose worker fails is out, with the reason; the others go on."""
        try:
            yield
        except WorkerFailed as error:
            self.failed[name] = str(error)
            del self.measurements[name]


def measure(
    workers: dict[str, Worker],
    workload: Workload[Any],
    *,
    rounds: int,
    matrix_rates: Callable[[], dict[str, dict[str, float]]],
) -> Rounds:
    """Warm all up, then let each compute alone, the order rotated from round to round."""
    found = Rounds({name: [] for name in workers})
    for name, worker in workers.items():
        with found.without_failed(name):
            worker.ask({"steps": list(range(WARMUP_BATCHES))})
            worker.ask({"rest": True})
    for number, batches in enumerate(batches_of_rounds(len(workload.batches), rounds)):
        found.see(matrix_rates())
        for name in rotated(list(found.measurements), number):
            with found.without_failed(name):
                found.measurements[name].append(turn(workers[name], batches))
        _say(workload, found, number, rounds)
    return found


def batches_of_rounds(count: int, rounds: int) -> list[list[int]]:
    """All batches but those to warm up, an equal number each round."""
    each = (count - WARMUP_BATCHES) // rounds
    return [[WARMUP_BATCHES + r * each + i for i in range(each)] for r in range(rounds)]


def rotated(names: Sequence[str], by: int) -> list[str]:
    """The names from another one on."""
    by %= len(names) or 1
    return [*names[by:], *names[:by]]


def turn(worker: Worker, batches: list[int]) -> Measurement:
    """One batch that does not count, since memory and caches were others'; then those that do."""
    worker.ask({"steps": batches[:1]})
    measured = undisturbed(worker, batches)
    worker.ask({"rest": True})
    return measured


def undisturbed(worker: Worker, batches: list[int]) -> Measurement:
    """The first attempt that no other process disturbed, or the least disturbed of all."""
    best: Measurement | None = None
    for repeats in range(MOST_REPEATS + 1):
        answer = worker.ask({"steps": batches})
        found = Measurement(
            tokens_per_s=answer["tokens"] / answer["seconds"],
            gflops=answer["flops"] / answer["seconds"] / 1e9,
            peak_memory_mb=answer["peak_memory_mb"],
            disturbance=answer["disturbance"],
            repeats=repeats,
        )
        if best is None or found.disturbance < best.disturbance:
            best = found
        if best.disturbance <= DISTURBED:
            break
    assert best is not None
    return best


def _say(workload: Workload[Any], found: Rounds, number: int, rounds: int) -> None:
    rates = (f"{name} {m[-1].tokens_per_s:,.0f}" for name, m in found.measurements.items())
    progress = f"{workload.size.name}, round {number + 1}/{rounds}, target tokens/s:"
    print(progress, ", ".join(rates), file=sys.stderr, flush=True)

"""This project with a process for each thread, which share the sentences of a batch."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import torch

from bench.decoders import ours
from bench.protocol import System, Task, each, own_peak_memory_mb, serve
from bench.sentences import Sentences
from bench.workload import Ids, Size

MINE: dict[str, Any] = {}
"""What `begin` leaves for `translate` in a process."""


def begin(size: Size, task: Task) -> None:
    """Build the model."""
    torch.set_num_threads(task.threads)
    MINE["translate"], MINE["parameters"] = ours.translator(size, task)


def parameters() -> int:
    """Of the model of this process."""
    return int(MINE["parameters"])


def translate(source: Ids) -> list[list[int]]:
    """One share of a batch."""
    return list(MINE["translate"](torch.from_numpy(source)))


class Processes:
    """They stay from batch to batch."""

    def __init__(self, size: Size, task: Task) -> None:
        """Start as many as there are threads."""
        inputs = (size, replace(task, threads=1))
        self.each = [
            ProcessPoolExecutor(1, get_context("spawn"), initializer=begin, initargs=inputs)
            for _ in range(task.threads)
        ]

    def parameters(self) -> int:
        """Of one of the models."""
        return self.each[0].submit(parameters).result()

    def translate(self, sentences: Sentences) -> list[list[int]]:
        """Every process takes its share; the order is restored."""
        count, rows = len(self.each), sentences.source
        shares = [pool.submit(translate, rows[k::count]) for k, pool in enumerate(self.each)]
        found: list[list[int]] = [[] for _ in rows]
        for k, share in enumerate(shares):
            found[k::count] = share.result()
        return found

    def peak_memory_mb(self) -> float:
        """Of all processes together."""
        memory = own_peak_memory_mb()
        return memory + sum(pool.submit(own_peak_memory_mb).result() for pool in self.each)


def build(size: Size, task: Task) -> System:
    """As ours, in several processes."""
    processes = Processes(size, task)
    return System(
        name=f"ours, {task.threads} processes",
        version=ours.VERSION,
        parameters=processes.parameters(),
        run=each(processes.translate),
        peak_memory_mb=processes.peak_memory_mb,
    )


if __name__ == "__main__":
    serve(build, Sentences)

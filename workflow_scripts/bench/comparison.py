"""One kind of work, done by all systems in turn: the frame of every benchmark."""

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from bench.machine import matrix_rates
from bench.protocol import Task, Worker, WorkerFailed
from bench.rounds import WARMUP_BATCHES, measure
from bench.summary import Described, summarise, table
from bench.systems import (
    ENVIRONMENTS,
    OURS,
    OWN,
    Systems,
    Unavailable,
    interpreter,
    name_and_precision,
    start,
)
from bench.workload import SIZES, Size, Workload
from deepmt.files import write_json
from deepmt.train.engine import multiplies_bfloat16
from deepmt.train.history import hardware

WIDTH = 140
"""Columns of the tables where the terminal, or a file, does not offer more."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to compare; NAME@bfloat16 asks for a precision."""

    sizes: tuple[str, ...] = tuple(SIZES)
    systems: tuple[str, ...]
    peers: tuple[str, ...] = ENVIRONMENTS
    """Environments whose systems take part."""
    rounds: int = 5
    batches: int = 2
    """A round."""
    threads: int = os.cpu_count() or 1
    device: str = "cpu"
    precision: str = "float32"
    environments: Path = Path(".bench")
    logs: Path
    output: Path


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What is done, and who can do it."""

    title: str
    workers: str
    """The package whose modules are the workers."""
    systems: Systems
    peers: tuple[str, ...]
    """Those of whom the fastest, at the precision of the comparison, is the one to beat."""
    draw: Callable[[Size, int], Workload[Any]]
    facts: Callable[[Workload[Any]], Described] = lambda workload: {}
    """What else the report says of a workload."""
    method: Mapping[str, Any]
    left_out: Mapping[str, str]

    def run(self, options: Options) -> int:
        """Measure, print and write; status 1 if ours did not run."""
        torch.set_num_threads(options.threads)
        left_out = dict(self.left_out)
        sizes = {size: self._measure(options, size, left_out) for size in options.sizes}
        report = {
            "hardware": hardware(torch.device(options.device)) | {"cores": os.cpu_count()},
            "software": {"python": sys.version.split()[0], "torch": str(torch.__version__)},
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "method": {
                "rounds": options.rounds,
                "batches_a_round": options.batches,
                "batches_to_warm_up": WARMUP_BATCHES,
                **self.method,
            },
            "left_out": left_out,
            "sizes": sizes,
        }
        write_json(options.output, report)
        console = Console(width=max(WIDTH, Console().width))
        for size, summary in sizes.items():
            console.print(table(f"{self.title}, {size}", summary))
        for name, reason in left_out.items():
            console.print(f"left out: {name}: {reason}", markup=False)
        return 1 if OURS in left_out else 0

    def chosen(self, options: Options) -> list[str]:
        """The systems that take part."""
        environments = (OWN, *options.peers)
        names = {s: name_and_precision(s, "", self.systems)[0] for s in options.systems}
        return [system for system, name in names.items() if self.systems[name] in environments]

    def _measure(self, options: Options, size: str, left_out: dict[str, str]) -> Described:
        """Start all systems at one size, let them take turns, end them."""
        workload = self.draw(SIZES[size], WARMUP_BATCHES + options.rounds * options.batches)
        with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:
            path = Path(folder) / f"{size}.npz"
            workload.save(path)
            workers: dict[str, Worker] = {}
            about: dict[str, Described] = {}
            for system in self.chosen(options):
                try:
                    worker, dtype = self._start(system, options, path)
                except (Unavailable, WorkerFailed) as error:
                    left_out[system] = str(error)
                    continue
                ending.callback(worker.close)
                workers[system] = worker
                about[system] = worker.greeting | {"dtype": dtype}
            dtypes = {system["dtype"] for system in about.values()}
            rates = partial(matrix_rates, options.device, sorted(dtypes))
            found = measure(workers, workload, rounds=options.rounds, matrix_rates=rates)
        left_out |= found.failed
        described = summarise(workload, found, about, options.threads, self.peers)
        return described | self.facts(workload)

    def _start(self, system: str, options: Options, workload: Path) -> tuple[Worker, str]:
        """A system's worker, and its precision."""
        name, precision = name_and_precision(system, options.precision, self.systems)
        if precision == "bfloat16" and not multiplies_bfloat16(options.device):
            raise Unavailable("this machine has no bfloat16 products of its own")
        python = interpreter(self.systems[name], options.environments)
        module = f"{self.workers}.{name.replace('-', '_')}"
        task = Task(workload, options.threads, options.device, precision)
        log = options.logs / f"{workload.stem}.{system}.log"
        return start(module, python, task, log), precision

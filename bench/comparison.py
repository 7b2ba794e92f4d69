"""Run one kind of work by all systems alternately, for both benchmarks."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from bench.matrix_rate import matrix_rate
from bench.rounds import WARMUP_BATCHES, measure
from bench.summary import OURS, summarise, table
from bench.worker import Task, Worker, WorkerFailed
from bench.workload import SIZES, Size
from deepmt.files import write_json
from deepmt.train.execution import multiplies_bfloat16
from deepmt.train.history import hardware

ROOT = Path(__file__).parents[1]
WIDTH = 140
"""Minimum width of the tables in characters."""
ENVIRONMENTS = ("huggingface", "eole")
"""Adapters with an environment of their own; the others run in this one."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Define the options of a comparison."""

    sizes: tuple[str, ...] = tuple(SIZES)
    systems: tuple[str, ...]
    """ADAPTER, ADAPTER-VARIANT; either with @PRECISION."""
    peers: tuple[str, ...] = ENVIRONMENTS
    """Environments whose systems take part."""
    rounds: int = 5
    batches: int = 2
    """Batches per round."""
    threads: int = os.cpu_count() or 1
    device: str = "cpu"
    precision: str = "float32"
    environments: Path = Path(".bench")
    logs: Path
    output: Path


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Define a benchmark: the work, and the systems that can do it."""

    title: str
    work: str
    """Name of the adapter function that builds the system; variants append their names."""
    systems: tuple[str, ...]
    peers: tuple[str, ...]
    """Adapters whose fastest in each precision is the reference of that precision."""
    draw: Callable[[Size, int], Sequence[Any]]
    method: Mapping[str, Any]
    flops: Callable[[Size, Sequence[Any]], float] | None = None
    """FLOPs of the matrix products for a target token, where all systems need as many."""

    def run(self, options: Options) -> int:
        """Measure, print and write the results; return 1 if ours did not run."""
        torch.set_num_threads(options.threads)
        left_out: dict[str, str] = {}
        sizes = {size: self._measure(options, SIZES[size], left_out) for size in options.sizes}
        report = {
            "hardware": hardware(torch.device(options.device)) | {"cores": os.cpu_count()},
            "software": {"python": sys.version.split()[0], "torch": str(torch.__version__)},
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "method": {
                "rounds": options.rounds,
                "batches_a_round": options.batches,
                "batches_to_warm_up": WARMUP_BATCHES,
                "threads": options.threads,
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
        """List the systems that take part."""
        absent = set(ENVIRONMENTS) - set(options.peers)
        return [system for system in options.systems if self.adapter(system) not in absent]

    def adapter(self, system: str) -> str:
        """Return the adapter of a system, e.g. `ours` for `ours-matt@int8`.

        Raises:
            ValueError: if there is no such system.
        """
        name = system.partition("@")[0]
        if name not in self.systems:
            known = ", ".join(self.systems)
            raise ValueError(f"--systems {system}: no such system; choose from {known}")
        return name.partition("-")[0]

    def task(self, system: str, size: Size, options: Options) -> Task:
        """Return the task of a system, e.g. decode_matt in int8 for `ours-matt@int8`."""
        name, _, precision = system.partition("@")
        variant = name.removeprefix(self.adapter(system)).replace("-", "_")
        precision = precision or options.precision
        return Task(self.work + variant, size, options.threads, options.device, precision)

    def _measure(self, options: Options, size: Size, left_out: dict[str, str]) -> dict[str, Any]:
        """Start all systems at one size, measure them alternately, and stop them."""
        batches = self.draw(size, WARMUP_BATCHES + options.rounds * options.batches)
        workers: dict[str, Worker] = {}
        about: dict[str, dict[str, Any]] = {}
        with ExitStack() as ending:
            for system in self.chosen(options):
                task = self.task(system, size, options)
                try:
                    worker = self._start(system, task, options)
                except WorkerFailed as error:
                    left_out[system] = str(error)
                    continue
                ending.callback(worker.close)
                workers[system] = worker
                about[system] = worker.greeting | {"dtype": task.precision}
            found = measure(workers, batches, rounds=options.rounds, threads=options.threads)
        left_out |= found.failed
        summary: dict[str, Any] = {"model": asdict(size)}
        rates: dict[str, float] = {}
        if self.flops:
            summary["flops_a_token"] = self.flops(size, batches)
            precisions = {each["dtype"] for each in about.values()}
            rates = {each: matrix_rate(size, each, options.device) for each in sorted(precisions)}
            summary["matrix_flops_per_s"] = rates
        limits = {each: rate / summary["flops_a_token"] for each, rate in rates.items()}
        peers = [name for name in workers if self.adapter(name) in self.peers]
        return summary | summarise(found.measurements, about, peers, limits)

    def _start(self, system: str, task: Task, options: Options) -> Worker:
        """Start a system's worker."""
        if task.precision == "bfloat16" and not multiplies_bfloat16(task.device):
            raise WorkerFailed("this machine does not support bfloat16 products")
        adapter = self.adapter(system)
        python = interpreter(adapter, options.environments)
        command = [str(python), "-m", "bench", adapter, task.write()]
        log = options.logs / f"{task.size.name}.{system}.log"
        return Worker(command, variables(task.threads), log)


def interpreter(adapter: str, environments: Path) -> Path:
    """Return the Python interpreter of an adapter.

    Raises:
        WorkerFailed: if its environment is not installed, or pip failed.
    """
    if adapter not in ENVIRONMENTS:
        return Path(sys.executable)
    folder = environments / adapter
    if not (folder / ".ready").exists():
        log = folder / "install.log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        errors = [line for line in lines if line.startswith("ERROR")]
        missing = f"not installed: make bench PEERS={adapter}"
        raise WorkerFailed(errors[-1] if errors else missing)
    return folder / "bin" / "python"


def variables(threads: int) -> dict[str, str]:
    """Return the environment variables of a system's process."""
    return os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'workflow_scripts'}",
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "HF_HUB_OFFLINE": "1",
    }

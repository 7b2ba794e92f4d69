"""Measure systems in turn on the same batches, so that changes of speed affect all."""

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

from bench.summary import summarise, table
from bench.worker import Task, Worker, WorkerFailed
from bench.workload import SIZES, Size
from deepmt.files import write_json
from deepmt.train.execution import multiplies_bfloat16
from deepmt.train.history import hardware

ROOT = Path(__file__).parents[1]
WIDTH = 140
"""Minimum width of the tables in characters."""
OURS = "ours"
ENVIRONMENTS = ("huggingface", "eole")
"""Adapters with an environment of their own; the others run in this one."""
WARMUP_BATCHES = 2


@dataclass(frozen=True, kw_only=True)
class Options:
    """Define the options of a comparison."""

    sizes: tuple[str, ...] = tuple(SIZES)
    systems: tuple[str, ...]
    precisions: tuple[str, ...] = ("float32", "bfloat16", "int8")
    """Each system is measured in those that it has."""
    peers: tuple[str, ...] = ENVIRONMENTS
    """Environments whose systems take part."""
    rounds: int = 5
    batches: int = 2
    """Batches per round."""
    threads: int = os.cpu_count() or 1
    device: str = "cpu"
    environments: Path = Path(".bench")
    logs: Path
    output: Path


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Define a benchmark: the work, and the systems that can do it."""

    title: str
    work: str
    """Name of the adapter function that builds the system; variants append their names."""
    systems: Mapping[str, tuple[str, ...]]
    """ADAPTER or ADAPTER-VARIANT -> its precisions."""
    draw: Callable[[Size, int], Sequence[Any]]
    method: Mapping[str, Any]

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
        return 1 if any(name.startswith(f"{OURS} ") for name in left_out) else 0

    def tasks(self, options: Options, size: Size) -> dict[str, tuple[str, Task]]:
        """Return adapter and task of each system and precision that takes part, by both names.

        Raises:
            ValueError: if there is no such system.
        """
        absent = set(ENVIRONMENTS) - set(options.peers)
        found = {}
        for system in options.systems:
            if system not in self.systems:
                known = ", ".join(self.systems)
                raise ValueError(f"--systems {system}: no such system; choose from {known}")
            adapter, *variant = system.split("-")
            work = "_".join([self.work, *variant])
            for precision in options.precisions:
                if precision in self.systems[system] and adapter not in absent:
                    task = Task(work, size, options.threads, options.device, precision)
                    found[f"{system} {precision}"] = adapter, task
        return found

    def _measure(self, options: Options, size: Size, left_out: dict[str, str]) -> dict[str, Any]:
        """Start all systems at one size, measure them alternately, and stop them."""
        batches = self.draw(size, WARMUP_BATCHES + options.rounds * options.batches)
        tasks = self.tasks(options, size)
        workers: dict[str, Worker] = {}
        with ExitStack() as ending:
            for name, (adapter, task) in tasks.items():
                try:
                    workers[name] = start(name, adapter, task, options)
                except WorkerFailed as error:
                    left_out[name] = str(error)
                else:
                    ending.callback(workers[name].close)
            speeds = measure(workers, batches, options.rounds, left_out)
        about = {
            name: workers[name].greeting | {"dtype": tasks[name][1].precision} for name in speeds
        }
        peers = [name for name in speeds if tasks[name][0] != OURS]
        return {"model": asdict(size)} | summarise(speeds, about, peers, OURS)


def start(name: str, adapter: str, task: Task, options: Options) -> Worker:
    """Start the worker of a system.

    Raises:
        WorkerFailed: the machine or the environment lacks something.
    """
    if task.precision == "bfloat16" and not multiplies_bfloat16(task.device):
        raise WorkerFailed("this machine does not support bfloat16 products")
    python = interpreter(adapter, options.environments)
    command = [str(python), "-m", "bench", adapter, task.write()]
    log = options.logs / f"{task.size.name}.{name.replace(' ', '.')}.log"
    return Worker(command, variables(task.threads), log)


def measure(
    workers: Mapping[str, Worker], batches: Sequence[Any], rounds: int, failed: dict[str, str]
) -> dict[str, list[float]]:
    """Return target tokens a second of each system by round, after a round to warm up.

    The order rotates. A system whose worker fails is left out, with the reason in `failed`.
    """
    speeds: dict[str, list[float]] = {name: [] for name in workers}
    shares = [batches[:WARMUP_BATCHES], *batches_of_rounds(batches[WARMUP_BATCHES:], rounds)]
    for number, share in enumerate(shares):
        tokens = sum(batch.target_tokens for batch in share)
        for name in rotated(list(speeds), number):
            try:
                speeds[name].append(tokens / workers[name].run(share))
            except WorkerFailed as error:
                failed[name] = str(error)
                del speeds[name]
        progress = ", ".join(f"{name} {found[-1]:,.0f}" for name, found in speeds.items())
        print(f"round {number}/{rounds}, target tokens/s: {progress}", file=sys.stderr, flush=True)
    return {name: found[1:] for name, found in speeds.items()}


def batches_of_rounds(batches: Sequence[Any], rounds: int) -> list[Sequence[Any]]:
    """Divide the batches among the rounds."""
    each = len(batches) // rounds
    return [batches[r * each : (r + 1) * each] for r in range(rounds)]


def rotated(names: Sequence[str], by: int) -> list[str]:
    """Return the names rotated to the left by `by`."""
    by %= len(names) or 1
    return [*names[by:], *names[:by]]


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

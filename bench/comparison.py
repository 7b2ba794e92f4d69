"""One kind of work, done by all systems in turn: the frame of both benchmarks."""

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
from bench.summary import OURS, Described, summarise, table
from bench.workload import SIZES, Size, Workload
from deepmt.files import write_json
from deepmt.train.engine import multiplies_bfloat16
from deepmt.train.history import hardware

ROOT = Path(__file__).parents[1]
WIDTH = 140
"""Columns of the tables where the terminal, or a file, does not offer more."""
OWN = ""
"""The environment that runs this file."""
ENVIRONMENTS = ("huggingface", "joeynmt", "opennmt", "sockeye", "eole", "marian")
"""Those of the peers, each with packages of its own."""


class Unavailable(Exception):
    """A system cannot run here; the message says why."""


@dataclass(frozen=True)
class System:
    """A program in `bench.adapters`, and the environment that it is installed in."""

    adapter: str
    work: str
    """Its function that builds the system."""
    environment: str = OWN


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
    systems: Mapping[str, System]
    peers: tuple[str, ...]
    """Those of whom the fastest, at the precision of the comparison, is the one to beat."""
    draw: Callable[[Size, int], Workload[Any]]
    facts: Callable[[Workload[Any]], Described] = lambda workload: {}
    """What else the report says of a workload."""
    method: Mapping[str, Any]

    def run(self, options: Options) -> int:
        """Measure, print and write; status 1 if ours did not run."""
        torch.set_num_threads(options.threads)
        left_out: dict[str, str] = {}
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
        """List the systems that take part."""
        environments = (OWN, *options.peers)
        names = {system: self.name_and_precision(system, "")[0] for system in options.systems}
        return [s for s, name in names.items() if self.systems[name].environment in environments]

    def name_and_precision(self, system: str, default: str) -> tuple[str, str]:
        """Read `ours@bfloat16` as the system `ours` at that precision, or else the default's.

        Raises:
            ValueError: there is no such system.
        """
        name, _, precision = system.partition("@")
        if name not in self.systems:
            known = ", ".join(self.systems)
            raise ValueError(f"--systems {system}: no such system; choose from {known}")
        return name, precision or default

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

    def _start(self, name: str, options: Options, workload: Path) -> tuple[Worker, str]:
        """Start a system's worker; return it with its precision."""
        system, precision = self.name_and_precision(name, options.precision)
        if precision == "bfloat16" and not multiplies_bfloat16(options.device):
            raise Unavailable("this machine has no bfloat16 products of its own")
        chosen = self.systems[system]
        python = interpreter(chosen.environment, options.environments)
        task = Task(chosen.work, workload, options.threads, options.device, precision)
        flags = [f"--{key}={value}" for key, value in vars(task).items()]
        command = [str(python), "-m", f"bench.adapters.{chosen.adapter}", *flags]
        log = options.logs / f"{workload.stem}.{name}.log"
        return Worker(command, variables(options.threads), log), precision


def interpreter(environment: str, environments: Path) -> Path:
    """Find the Python of an environment.

    Raises:
        Unavailable: it is not installed, or pip could not install it.
    """
    if environment == OWN:
        return Path(sys.executable)
    folder = environments / environment
    if not (folder / ".ready").exists():
        log = folder / "install.log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        errors = [line for line in lines if line.startswith("ERROR")]
        missing = f"not installed: make bench PEERS={environment}"
        raise Unavailable(errors[-1] if errors else missing)
    return folder / "bin" / "python"


def variables(threads: int) -> dict[str, str]:
    """Return the environment variables that a system's process runs with."""
    return os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'workflow_scripts'}",
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "HF_HUB_OFFLINE": "1",
    }

"""Speed of training, ours beside the peers: one table a size, and all figures as JSON."""

import os
import sys
import tempfile
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
from bench.summary import summarise, table
from bench.systems import (
    LEFT_OUT,
    OURS,
    PEERS,
    NotInstalled,
    name_and_precision,
    start,
)
from bench.workload import MAX_TOKENS, SIZES, draw
from deepmt.cli import parse
from deepmt.files import write_json
from deepmt.train.engine import multiplies_bfloat16
from deepmt.train.run import hardware

WIDTH = 120
"""Columns of the tables where the terminal, or a file, does not offer more."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Train each system in turn on the same batches; NAME@bfloat16 asks for a precision."""

    sizes: tuple[str, ...] = tuple(SIZES)
    systems: tuple[str, ...] = (OURS, f"{OURS}@bfloat16", "plain_torch", *PEERS)
    rounds: int = 5
    batches: int = 2
    """A round."""
    threads: int = os.cpu_count() or 1
    device: str = "cpu"
    precision: str = "float32"
    environments: Path = Path(".bench")
    logs: Path = Path("logs/bench/training")
    output: Path = Path("results/bench/training.json")


def main(args: Args) -> int:
    """Measure, print and write; status 1 if ours did not run."""
    torch.set_num_threads(args.threads)
    left_out = dict(LEFT_OUT)
    sizes = {size: measure_size(args, size, left_out) for size in args.sizes}
    report = {
        "hardware": hardware(torch.device(args.device)) | {"cores": os.cpu_count()},
        "software": {"python": sys.version.split()[0], "torch": str(torch.__version__)},
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "method": {
            "rounds": args.rounds,
            "batches_a_round": args.batches,
            "batches_to_warm_up": WARMUP_BATCHES,
            "most_target_tokens_a_batch": MAX_TOKENS,
        },
        "left_out": left_out,
        "sizes": sizes,
    }
    write_json(args.output, report)
    console = Console(width=max(WIDTH, Console().width))
    for size, summary in sizes.items():
        console.print(table(size, summary))
    for name, reason in left_out.items():
        console.print(f"left out: {name}: {reason}", markup=False)
    return 1 if OURS in left_out else 0


def measure_size(args: Args, size: str, left_out: dict[str, str]) -> dict[str, Any]:
    """Start all systems at one size, let them take turns, end them."""
    workload = draw(SIZES[size], WARMUP_BATCHES + args.rounds * args.batches)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:
        path = Path(folder) / f"{size}.npz"
        workload.save(path)
        workers: dict[str, Worker] = {}
        about: dict[str, dict[str, Any]] = {}
        for system in args.systems:
            name, precision = name_and_precision(system, args.precision)
            if precision == "bfloat16" and not multiplies_bfloat16(args.device):
                left_out[system] = "this machine has no bfloat16 products of its own"
                continue
            task = Task(path, args.threads, args.device, precision)
            log = args.logs / f"{size}.{system}.log"
            try:
                worker = start(name, task, environments=args.environments, log=log)
            except (NotInstalled, WorkerFailed) as error:
                left_out[system] = str(error)
                continue
            ending.callback(worker.close)
            workers[system] = worker
            about[system] = worker.greeting | {"dtype": precision}
        rates = partial(matrix_rates, args.device)
        found = measure(workers, workload, rounds=args.rounds, matrix_rates=rates)
    left_out |= found.failed
    return summarise(workload, found, about, args.threads)


if __name__ == "__main__":
    sys.exit(main(parse(Args)))

"""What an update costs at 6 to 60 encoder layers, method by method: it must grow linearly."""

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor

from bench.protocol import Task
from bench.workers.on_torch import peak_memory_mb
from bench.workers.ours import spec_of, tensors, trainer_of
from bench.workload import SIZES, Size, draw
from deepmt.cli import parse
from deepmt.config.spec import Init, Method
from deepmt.data.batches import Batch
from deepmt.files import write_json
from deepmt.model.transformer import recompute_layers
from deepmt.train.engine import keep_memory
from deepmt.train.history import hardware
from deepmt.train.loop import Trainer
from deepmt.train.outcome import Turn

METHODS: dict[str, tuple[Method, Init]] = {
    "post-norm": (Method(), Init()),
    "pre-norm": (Method(norm="pre"), Init()),
    "DS-Init, MAtt": (Method(branch="saan", wiring="merged"), Init(name="ds_init")),
    "DLCL post-norm": (Method(inputs="dlcl"), Init()),
    "DLCL pre-norm": (Method(norm="pre", inputs="dlcl"), Init()),
    "lingvo": (Method(norm="lingvo"), Init()),
    "lingvo, transparent": (Method(norm="lingvo", memory="transparent"), Init()),
    "ADMIN": (Method(skip="omega"), Init(name="admin")),
}
COMPARED = {
    "DS-Init, MAtt": "post-norm",
    "DLCL post-norm": "post-norm",
    "DLCL pre-norm": "pre-norm",
    "lingvo, transparent": "lingvo",
    "ADMIN": "post-norm",
}
"""Method -> the plain system that differs from it by the method alone."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Time updates and count the bytes kept for the backward pass, by depth of the encoder."""

    size: str = "base"
    depths: tuple[int, ...] = (6, 24, 60)
    """Without any, only the methods are compared."""
    compared_at: int = 30
    """Layers at which methods are compared with their plain systems."""
    methods: tuple[str, ...] = tuple(METHODS)
    rounds: int = 3
    threads: int = 2
    device: str = "cpu"
    precision: str = "auto"
    recompute: bool = False
    output: Path = Path("results/bench/depth.json")


def main(args: Args) -> None:
    """Measure depth by depth, then each method beside its plain system; print and write.

    Each measurement has a process of its own: no model finds the memory that another one left.
    """
    with processes(args.threads) as pool:
        jobs = [pool.submit(measured, args, m, d) for d in args.depths for m in args.methods]
        pairs = {m: pool.submit(ratio, args, m, COMPARED[m]) for m in args.methods if m in COMPARED}
        lines = [job.result() for job in jobs]
        over_plain = {method: job.result() for method, job in pairs.items()}
    of_method = {m: [line for line in lines if line["method"] == m] for m in args.methods}
    fits = {method: linearity(own) for method, own in of_method.items() if own}
    report = {
        "hardware": hardware(torch.device(args.device)),
        "size": args.size,
        "recompute": args.recompute,
        "lines": lines,
        "fits": fits,
        "compared_at": args.compared_at,
        "time_over_plain": over_plain,
    }
    write_json(args.output, report)
    console = Console(width=140)
    if lines:
        console.print(table(args, lines, fits))
    for method, found in over_plain.items():
        console.print(f"{method} / {COMPARED[method]}, {args.compared_at} layers: {found}")


def processes(threads: int) -> ProcessPoolExecutor:
    """One process after another, each for one job."""
    return ProcessPoolExecutor(
        max_workers=1,
        mp_context=get_context("spawn"),
        initializer=begin,
        initargs=(threads,),
        max_tasks_per_child=1,
    )


def begin(threads: int) -> None:
    """Compute as the trainer does."""
    torch.set_num_threads(threads)
    keep_memory()


def measured(args: Args, method: str, depth: int) -> dict[str, Any]:
    """Time of an update, and what it keeps for the backward pass."""
    size, batch = workload(args, depth)
    of_method = trainer(args, method, size)
    kept = kept_bytes(of_method, batch)
    line = {
        "method": method,
        "encoder_layers": depth,
        "seconds": round(median(seconds(of_method, batch) for _ in range(args.rounds)), 4),
        "kept_mb": round(kept / 2**20, 1),
        "peak_memory_mb": round(peak_memory_mb(args.device)),
    }
    print(line, file=sys.stderr, flush=True)
    return line


def ratio(args: Args, method: str, plain: str) -> float:
    """Time of a method over that of its plain system: the median of updates taken in turn."""
    size, batch = workload(args, args.compared_at)
    pair = [trainer(args, name, size) for name in (method, plain)]
    times = [[seconds(one, batch) for one in pair] for _ in range(1 + args.rounds)]
    return round(median(own / other for own, other in times[1:]), 3)


def workload(args: Args, depth: int) -> tuple[Size, Batch]:
    """A size with so many encoder layers, and the one batch that all updates take."""
    size = replace(SIZES[args.size], encoder_layers=depth)
    return size, tensors(draw(size, 1).batches[0])


def seconds(of_method: Trainer, batch: Batch) -> float:
    """One update."""
    began = time.perf_counter()
    of_method.update(batch, Turn(0, 0), False)
    return time.perf_counter() - began


def trainer(args: Args, method: str, size: Size) -> Trainer:
    """Our own trainer with a method in place of the plain one."""
    task = Task(Path(), args.threads, args.device, args.precision)
    chosen, init = METHODS[method]
    found = trainer_of(replace(spec_of(size), method=chosen, init=init), size, task)
    if args.recompute:
        recompute_layers(found.model)
    return found


def kept_bytes(of_method: Trainer, batch: Batch) -> int:
    """Bytes that one update keeps for its backward pass, each tensor once, weights left out."""
    weights = {p.untyped_storage().data_ptr() for p in of_method.model.parameters()}
    with counted(weights) as storages:
        of_method.update(batch, Turn(0, 0), False)
    return sum(storages.values())


@contextmanager
def counted(ignored: set[int]) -> Iterator[dict[int, int]]:
    """Size of every storage that autograd saves, by address."""
    storages: dict[int, int] = {}

    def see(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in ignored:
            storages[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(see, lambda tensor: tensor):
        yield storages


def linearity(lines: list[dict[str, Any]]) -> dict[str, float]:
    """The best line through cost over depth, and how far the worst point lies from it."""
    depths = np.array([line["encoder_layers"] for line in lines], dtype=float)
    found: dict[str, float] = {}
    for key in ("seconds", "kept_mb"):
        values = np.array([line[key] for line in lines])
        slope, start = np.polyfit(depths, values, 1) if len(lines) > 1 else (0.0, values[0])
        off = np.abs(values / (slope * depths + start) - 1).max()
        found |= {f"{key}_a_layer": round(float(slope), 4), f"{key}_off": round(float(off), 3)}
    return found


def table(args: Args, lines: list[dict[str, Any]], fits: dict[str, dict[str, float]]) -> Table:
    """Seconds an update and megabytes kept, one line a method."""
    title = f"An update, {args.size}, by encoder layers: seconds (MB kept for the backward pass)"
    shown = Table("method", *map(str, args.depths), "s a layer", "off line", title=title)
    for method in args.methods:
        own = [line for line in lines if line["method"] == method]
        cells = [f"{line['seconds']:.2f} ({line['kept_mb']:,.0f})" for line in own]
        fit = fits[method]
        shown.add_row(method, *cells, f"{fit['seconds_a_layer']:.4f}", f"{fit['seconds_off']:.1%}")
    return shown


if __name__ == "__main__":
    main(parse(Args))

"""Measure systems in turn on the same batches, so that changes of speed affect all."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import torch
from rich.console import Console

from bench.summary import summarise, table
from bench.worker import Task, Worker, WorkerFailed
from bench.workload import (
    BEAM,
    FEWEST_WORDS,
    MOST_WORDS,
    SENTENCES,
    SIZES,
    STEPS,
    Size,
    draw_sentences,
    draw_training,
)
from deepmt.base.cli import Positional, run
from deepmt.base.files import write_json
from deepmt.kernels.devices import Device
from deepmt.settings.strict import Count, Few, one_of
from deepmt.train.execution import multiplies_bfloat16
from deepmt.train.history import hardware

ROOT = Path(__file__).parents[1]
CORES = os.cpu_count() or 1
WIDTH = 140
"""Minimum width of the tables in characters."""
OURS = "ours"
PRODUCTS = "products"
"""Adapter that only multiplies."""
ENVIRONMENTS = ("huggingface", "eole")
"""Adapters with an environment of their own; the others run in this one."""
WARMUP_BATCHES = 2
BOTH, ALL = ("float32", "bfloat16"), ("float32", "bfloat16", "int8")


@dataclass(frozen=True, kw_only=True)
class Work:
    """Define a benchmark: the work, and the systems that can do it."""

    function: str
    """Name of the adapter's function that builds the system; variants append their names."""
    systems: Mapping[str, tuple[str, ...]]
    """ADAPTER or ADAPTER-VARIANT -> its precisions."""
    draw: Callable[[Size, int], Sequence[Any]]
    method: Mapping[str, Any]


WORKS = {
    "training": Work(
        function="train",
        systems={OURS: BOTH, PRODUCTS: BOTH, "huggingface": BOTH, "eole": ("float32",)},
        draw=draw_training,
        method={},
    ),
    "decoding": Work(
        function="decode",
        systems={
            OURS: ALL,
            "ours-parallel": ALL,
            "ours-merged": ("float32", "int8"),
            PRODUCTS: ALL,
            "huggingface": BOTH,
            "ctranslate2": ("float32", "int8"),
            "ctranslate2-parallel": ("float32", "int8"),
        },
        draw=draw_sentences,
        method={
            "sentences_a_batch": SENTENCES,
            "words_a_sentence": [FEWEST_WORDS, MOST_WORDS],
            "beam": BEAM,
            "steps": STEPS,
            "counted": "tokens of the best hypotheses",
        },
    ),
}


def main(
    *,
    work: Annotated[str, one_of(WORKS), Positional("training or decoding")],
    sizes: tuple[Annotated[str, one_of(SIZES)], ...] = ("base", "small"),
    precisions: Annotated[
        tuple[Annotated[str, one_of(ALL)], ...], "each system takes part in those that it has"
    ] = ALL,
    peers: Annotated[
        tuple[Annotated[str, one_of(ENVIRONMENTS)], ...], "environments whose systems take part"
    ] = ENVIRONMENTS,
    rounds: Count = 5,
    batches: Annotated[Count, "batches per round"] = 2,
    threads: Few = CORES,
    device: Device = "cpu",
    environments: Path = Path(".bench"),
) -> int:
    """Measure, print and write results/bench/<work>.json; return 1 if ours did not run."""
    torch.set_num_threads(threads)
    left_out: dict[str, str] = {}
    found = {}
    for size in map(SIZES.__getitem__, sizes):
        tasks = tasks_of(WORKS[work], size, precisions, peers, threads, device)
        drawn = WORKS[work].draw(size, WARMUP_BATCHES + rounds * batches)
        found[size.name] = compare(tasks, drawn, rounds, environments, left_out)
    report = {
        "hardware": hardware(torch.device(device)) | {"cores": os.cpu_count()},
        "software": {"python": sys.version.split()[0], "torch": str(torch.__version__)},
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "method": {
            "rounds": rounds,
            "batches_a_round": batches,
            "batches_to_warm_up": WARMUP_BATCHES,
            "threads": threads,
            **WORKS[work].method,
        },
        "left_out": left_out,
        "sizes": found,
    }
    write_json(Path(f"results/bench/{work}.json"), report)
    console = Console(width=max(WIDTH, Console().width))
    for name, summary in found.items():
        console.print(table(f"{work}, {name}", summary))
    for name, reason in left_out.items():
        console.print(f"left out: {name}: {reason}", markup=False)
    return 1 if any(name.startswith(f"{OURS} ") for name in left_out) else 0


def tasks_of(
    work: Work,
    size: Size,
    precisions: Sequence[str] = ALL,
    peers: Sequence[str] = ENVIRONMENTS,
    threads: int = 1,
    device: str = "cpu",
) -> dict[str, tuple[str, Task]]:
    """Return adapter and task of each system and precision that takes part, by both names."""
    absent = set(ENVIRONMENTS) - set(peers)
    found = {}
    for system, own in work.systems.items():
        adapter, *variant = system.split("-")
        for precision in (each for each in precisions if each in own and adapter not in absent):
            function = "_".join([work.function, *variant])
            found[f"{system} {precision}"] = (
                adapter,
                Task(function, size, threads, device, precision),
            )
    return found


def compare(
    tasks: Mapping[str, tuple[str, Task]],
    batches: Sequence[Any],
    rounds: int,
    environments: Path,
    left_out: dict[str, str],
) -> dict[str, Any]:
    """Start all systems at one size, measure them alternately, and stop them."""
    workers: dict[str, Worker] = {}
    with ExitStack() as ending:
        for name, (adapter, task) in tasks.items():
            try:
                workers[name] = start(name, adapter, task, environments)
            except WorkerFailed as error:
                left_out[name] = str(error)
            else:
                ending.callback(workers[name].close)
        speeds = measure(workers, batches, rounds, left_out)
    about = {name: workers[name].greeting | {"dtype": tasks[name][1].precision} for name in speeds}
    peers = [name for name in speeds if tasks[name][0] not in (OURS, PRODUCTS)]
    model = asdict(next(iter(tasks.values()))[1].size)
    return {"model": model} | summarise(speeds, about, peers, OURS, PRODUCTS)


def start(name: str, adapter: str, task: Task, environments: Path) -> Worker:
    """Start the worker of a system.

    Raises:
        WorkerFailed: the machine or the environment lacks something.
    """
    if task.precision == "bfloat16" and not multiplies_bfloat16(task.device):
        raise WorkerFailed("this machine does not support bfloat16 products")
    python = Path(sys.executable)
    if adapter in ENVIRONMENTS:
        if not (environments / adapter / ".ready").exists():
            raise WorkerFailed(f"not installed: make bench PEERS={adapter} says why")
        python = environments / adapter / "bin/python"
    command = [str(python), "-m", "bench", adapter, task.write()]
    log = Path(f"logs/bench/{task.work}/{task.size.name}.{name.replace(' ', '.')}.log")
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


def variables(threads: int) -> dict[str, str]:
    """Return the environment variables of a system's process."""
    return os.environ | {
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'workflow_scripts'}",
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "HF_HUB_OFFLINE": "1",
    }


if __name__ == "__main__":
    run(main)

"""Train one seed of a run to a scientific outcome, resuming where it stopped.

Exit status: 0 = the outcome (finished, diverged or stalled) is recorded; 75 = asked to stop, state
saved, run again; anything else = an infrastructure fault, nothing is recorded.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

import torch

from deepmt.base.cli import run
from deepmt.base.printable import say
from deepmt.settings.strict import Few, FewOrNone, Seed
from deepmt.train.event_log import EventLog
from deepmt.train.execution import ExecutionConfig, keep_memory
from deepmt.train.gpus import acquire_gpus
from deepmt.train.measurements import LoggingIntervals
from deepmt.train.run import train
from deepmt.train.run_paths import RunPaths
from deepmt.train.stop import StopRequested, stop_signals
from deepmt.train.workers import is_worker, launch

ASKED_TO_STOP = 75


def main(
    paths: RunPaths,
    execution: ExecutionConfig,
    every: LoggingIntervals,
    *,
    seed: Seed,
    threads: Annotated[Few, "CPU threads of all workers together; with a GPU, one each"] = 1,
    gpus: Annotated[FewOrNone, "GPUs to take, one worker each; 0 = use --device"] = 0,
    workers: Annotated[Few, "processes that share every update, if no GPUs are taken"] = 1,
) -> int:
    """Train, writing checkpoints to resume/ and log.jsonl beside the outcome."""
    trainers = gpus or workers
    if not is_worker():
        lock_files = acquire_gpus(gpus)
        if trainers > 1:
            log = EventLog(paths.files.log, writes=False)
            before = len(log.events())
            status = launch([__file__, *sys.argv[1:]], trainers, lock_files)
            return ASKED_TO_STOP if status and stopped(log.events()[before:]) else status
    if gpus:
        execution = replace(execution, device="cuda")
    on_gpu = torch.device(execution.device).type == "cuda"
    # With a GPU, batches are counted and masked here. ATen wakes all threads for more than 32,768
    # positions, and they take longer to wake than one takes to count.
    torch.set_num_threads(1 if on_gpu else max(1, threads // trainers))
    keep_memory()
    with stop_signals() as signals:
        try:
            train(paths, seed=seed, execution=execution, every=every, signals=signals)
        except StopRequested as signal:
            say(f"{paths.folder}: {signal}: saved; run again to resume")
            return ASKED_TO_STOP
    return 0


def stopped(events: Sequence[Mapping[str, Any]]) -> bool:
    """Check if a launch that logged these events was asked to stop."""
    return bool(events) and events[-1]["event"] == "stopped"


if __name__ == "__main__":
    run(main)

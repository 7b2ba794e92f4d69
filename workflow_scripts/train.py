"""Train one seed of a run, from wherever it stands, to a scientific outcome.

Exit status: 0 = the outcome (finished or diverged) is recorded; 75 = asked to stop, state saved,
run it again; anything else = an infrastructure fault, and nothing is recorded.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from deepmt.cli import parse
from deepmt.train.event_log import EventLog, say
from deepmt.train.execution import ExecutionConfig, keep_memory
from deepmt.train.gpus import acquire_gpus
from deepmt.train.hooks import LoggingIntervals
from deepmt.train.run import train
from deepmt.train.run_paths import RunPaths
from deepmt.train.stop import StopRequested, stop_signals
from deepmt.train.workers import is_worker, launch

ASKED_TO_STOP = 75


@dataclass(frozen=True, kw_only=True)
class Args:
    """Train, writing checkpoints to resume/ and log.jsonl beside the outcome."""

    spec: Path
    encoding: Path
    init: Path
    seed: int
    output: Path
    threads: int = field(default=1, metadata={"help": "of all workers together, on the CPU"})
    gpus: int = field(
        default=0, metadata={"help": "GPUs to take, with a worker on each; 0 = use --device"}
    )
    device: str = "cpu"
    precision: str = field(
        default="auto", metadata={"help": "auto, float32 or bfloat16; auto asks the hardware"}
    )
    micro_tokens: int = field(
        default=0, metadata={"help": "largest part of an update computed at once; 0 = all of it"}
    )
    workers: int = field(
        default=1, metadata={"help": "processes that share every update, unless GPUs are taken"}
    )
    recompute: bool = field(default=False, metadata={"help": "forget activations to save memory"})
    dev_every: int = field(
        default=0, metadata={"help": "updates between perplexities of the dev split"}
    )
    gradients_every: int = field(
        default=0, metadata={"help": "between norms of every layer's gradients"}
    )
    mixtures_every: int = field(
        default=0, metadata={"help": "between learned weights of layers, if the method has any"}
    )
    board: bool = field(default=False, metadata={"help": "write TensorBoard files"})


def main(args: Args) -> int:
    """Write the outcome; return the exit status."""
    workers = args.gpus or args.workers
    if not is_worker():
        lock_files = acquire_gpus(args.gpus)
        if workers > 1:
            log = EventLog(args.output.parent / "log.jsonl", writes=False)
            before = len(log.events())
            status = launch([__file__, *sys.argv[1:]], workers, lock_files)
            return ASKED_TO_STOP if status and stopped(log.events()[before:]) else status
    torch.set_num_threads(max(1, args.threads // workers))
    keep_memory()
    paths = RunPaths(
        spec=args.spec, encoding=args.encoding, init=args.init, folder=args.output.parent
    )
    execution = ExecutionConfig(
        device="cuda" if args.gpus else args.device,
        precision=args.precision,
        micro_tokens=args.micro_tokens,
        recompute=args.recompute,
    )
    every = LoggingIntervals(
        dev=args.dev_every,
        gradients=args.gradients_every,
        layer_weights=args.mixtures_every,
    )
    with stop_signals() as signals:
        try:
            train(
                paths,
                seed=args.seed,
                output=args.output,
                execution=execution,
                every=every,
                board=args.board,
                signals=signals,
            )
        except StopRequested as signal:
            say(f"{args.output.parent}: {signal}: saved; run it again to go on")
            return ASKED_TO_STOP
    return 0


def stopped(events: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a launch that logged these events was asked to stop."""
    return bool(events) and events[-1]["event"] == "stopped"


if __name__ == "__main__":
    sys.exit(main(parse(Args)))

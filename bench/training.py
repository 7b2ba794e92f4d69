"""Benchmark training speed: one table per size, and all numbers as JSON."""

from dataclasses import dataclass
from pathlib import Path

from bench.comparison import ENVIRONMENTS, Comparison, Options
from bench.matrix_rate import flops_a_token
from bench.summary import OURS
from bench.workload import MAX_TOKENS, draw_training
from deepmt.cli import run

TRAINING = Comparison(
    title="Training",
    work="train",
    systems=(OURS, *ENVIRONMENTS),
    peers=ENVIRONMENTS,
    draw=draw_training,
    method={"most_target_tokens_a_batch": MAX_TOKENS},
    flops=flops_a_token,
)


@dataclass(frozen=True, kw_only=True)
class Args(Options):
    """Hold the systems that are trained, and where their speeds go."""

    systems: tuple[str, ...] = (
        *(OURS, f"{OURS}@bfloat16", "huggingface", "huggingface@bfloat16", "eole"),
    )
    logs: Path = Path("logs/bench/training")
    output: Path = Path("results/bench/training.json")


def main(args: Args) -> None:
    """Train each system in turn on the same batches; NAME@bfloat16 sets a precision."""
    TRAINING.run(args)


if __name__ == "__main__":
    run(main)

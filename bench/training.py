"""Benchmark training speed: one table per size, and all numbers as JSON."""

from dataclasses import dataclass
from pathlib import Path

from bench.comparison import OURS, Comparison, Options
from bench.workload import MAX_TOKENS, draw_training
from deepmt.cli import run

BOTH = ("float32", "bfloat16")
TRAINING = Comparison(
    title="Training",
    work="train",
    systems={OURS: BOTH, "huggingface": BOTH, "eole": ("float32",)},
    draw=draw_training,
    method={"most_target_tokens_a_batch": MAX_TOKENS},
)


@dataclass(frozen=True, kw_only=True)
class Args(Options):
    """Hold the systems that are trained, and where their speeds go."""

    systems: tuple[str, ...] = tuple(TRAINING.systems)
    logs: Path = Path("logs/bench/training")
    output: Path = Path("results/bench/training.json")


def main(args: Args) -> int:
    """Train each system in turn on the same batches."""
    return TRAINING.run(args)


if __name__ == "__main__":
    run(main)

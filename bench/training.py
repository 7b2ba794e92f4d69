"""Speed of training, ours beside the peers: one table a size, and all figures as JSON."""

import sys
from dataclasses import dataclass
from pathlib import Path

from bench.comparison import ENVIRONMENTS, Comparison, Options, System
from bench.summary import OURS
from bench.workload import MAX_TOKENS, draw, padding
from deepmt.cli import parse

PLAIN = "plain_torch"
TRAINING = Comparison(
    title="Training",
    systems={name: System(name, "train") for name in (OURS, PLAIN)}
    | {name: System(name, "train", name) for name in ENVIRONMENTS},
    peers=(PLAIN, *ENVIRONMENTS),
    draw=draw,
    facts=lambda workload: {"padding": round(padding(workload.batches), 4)},
    method={"most_target_tokens_a_batch": MAX_TOKENS},
)


@dataclass(frozen=True, kw_only=True)
class Args(Options):
    """Train each system in turn on the same batches; NAME@bfloat16 asks for a precision."""

    systems: tuple[str, ...] = (OURS, f"{OURS}@bfloat16", PLAIN, *ENVIRONMENTS)
    logs: Path = Path("logs/bench/training")
    output: Path = Path("results/bench/training.json")


if __name__ == "__main__":
    sys.exit(TRAINING.run(parse(Args)))

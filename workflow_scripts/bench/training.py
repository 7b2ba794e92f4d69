"""Speed of training, ours beside the peers: one table a size, and all figures as JSON."""

import sys
from dataclasses import dataclass
from pathlib import Path

from bench.comparison import Comparison, Options
from bench.systems import ENVIRONMENTS, FAIRSEQ, OURS, OWN
from bench.workload import MAX_TOKENS, draw, padding
from deepmt.cli import parse

TRAINING = Comparison(
    title="Training",
    workers="bench.workers",
    systems={OURS: OWN, "plain_torch": OWN} | {name: name for name in ENVIRONMENTS},
    peers=("plain_torch", *ENVIRONMENTS),
    draw=draw,
    facts=lambda workload: {"padding": round(padding(workload.batches), 4)},
    method={"most_target_tokens_a_batch": MAX_TOKENS},
    left_out={"fairseq": FAIRSEQ},
)


@dataclass(frozen=True, kw_only=True)
class Args(Options):
    """Train each system in turn on the same batches; NAME@bfloat16 asks for a precision."""

    systems: tuple[str, ...] = (OURS, f"{OURS}@bfloat16", "plain_torch", *ENVIRONMENTS)
    logs: Path = Path("logs/bench/training")
    output: Path = Path("results/bench/training.json")


if __name__ == "__main__":
    sys.exit(TRAINING.run(parse(Args)))

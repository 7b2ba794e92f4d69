"""Train one seed of a run, from wherever it stands, to a scientific outcome.

Exit status: 0 = the outcome (finished or diverged) is recorded; 75 = asked to stop, state saved,
run it again; anything else = an infrastructure fault, and nothing is recorded.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import torch

from deepmt.cli import parse
from deepmt.train.loop import StopAsked
from deepmt.train.run import Place, train

ASKED_TO_STOP = 75


@dataclass(frozen=True, kw_only=True)
class Args:
    """Train, writing checkpoints to resume/ and log.jsonl beside the outcome."""

    spec: Path
    encoding: Path
    init: Path
    seed: int
    output: Path
    threads: int = 1
    micro_tokens: int = 0
    device: str = "cpu"


def main(args: Args) -> int:
    """Write the outcome; return the exit status."""
    torch.set_num_threads(args.threads)
    place = Place(spec=args.spec, encoding=args.encoding, init=args.init, folder=args.output.parent)
    try:
        train(
            place,
            seed=args.seed,
            output=args.output,
            device=args.device,
            micro_tokens=args.micro_tokens,
        )
    except StopAsked as signal:
        print(f"{args.output.parent}: {signal}: saved; run it again to go on", file=sys.stderr)
        return ASKED_TO_STOP
    return 0


if __name__ == "__main__":
    sys.exit(main(parse(Args)))

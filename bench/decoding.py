"""Benchmark decoding speed: one table per size, and all numbers as JSON."""

from dataclasses import dataclass
from pathlib import Path

from bench.comparison import Comparison, Options
from bench.workload import BEAM, FEWEST_WORDS, MOST_WORDS, SENTENCES, STEPS, draw_sentences
from deepmt.cli import run

PEERS = ("huggingface", "ctranslate2")
DECODING = Comparison(
    title="Decoding",
    work="decode",
    systems=("ours", "ours-parallel", "ours-matt", *PEERS, "ctranslate2-parallel"),
    peers=PEERS,
    draw=draw_sentences,
    method={
        "sentences_a_batch": SENTENCES,
        "words_a_sentence": [FEWEST_WORDS, MOST_WORDS],
        "beam": BEAM,
        "steps": STEPS,
        "counted": "tokens of the best hypotheses",
    },
)


@dataclass(frozen=True, kw_only=True)
class Args(Options):
    """Hold the systems that translate, and where their speeds go."""

    systems: tuple[str, ...] = (
        *("ours", "ours@bfloat16", "ours@int8"),
        *("ours-parallel", "ours-parallel@bfloat16", "ours-parallel@int8"),
        *("ours-matt", "ours-matt@int8"),
        *("huggingface", "huggingface@bfloat16", "ctranslate2", "ctranslate2@int8"),
        *("ctranslate2-parallel", "ctranslate2-parallel@int8"),
    )
    logs: Path = Path("logs/bench/decoding")
    output: Path = Path("results/bench/decoding.json")


def main(args: Args) -> None:
    """Translate the same sentences by each system in turn; NAME@int8 sets a precision."""
    DECODING.run(args)


if __name__ == "__main__":
    run(main)

"""Benchmark decoding speed: one table per size, and all numbers as JSON."""

from dataclasses import dataclass
from pathlib import Path

from bench.comparison import OURS, Comparison, Options
from bench.workload import BEAM, FEWEST_WORDS, MOST_WORDS, SENTENCES, STEPS, draw_sentences
from deepmt.cli import run

ALL = ("float32", "bfloat16", "int8")
DECODING = Comparison(
    title="Decoding",
    work="decode",
    systems={
        OURS: ALL,
        "ours-parallel": ALL,
        "ours-matt": ("float32", "int8"),
        "huggingface": ("float32", "bfloat16"),
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
)


@dataclass(frozen=True, kw_only=True)
class Args(Options):
    """Hold the systems that translate, and where their speeds go."""

    systems: tuple[str, ...] = tuple(DECODING.systems)
    logs: Path = Path("logs/bench/decoding")
    output: Path = Path("results/bench/decoding.json")


def main(args: Args) -> int:
    """Translate the same sentences by each system in turn."""
    return DECODING.run(args)


if __name__ == "__main__":
    run(main)

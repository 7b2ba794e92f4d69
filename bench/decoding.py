"""Speed of decoding, ours beside the peers: one table a size, and all figures as JSON.

Marian is left out: its decoder takes the longest output as a multiple of the source's length and no
shortest one, so that no number of steps can be forced.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from bench.comparison import Comparison, Options, System
from bench.sentences import BEAM, FEWEST_WORDS, MOST_WORDS, SENTENCES, STEPS, draw
from bench.summary import OURS
from deepmt.cli import parse

TOOLKITS = ("huggingface", "opennmt", "joeynmt", "sockeye", "eole")
"""Those whose beam search is Python, like ours."""
DECODING = Comparison(
    title="Decoding",
    systems={
        OURS: System("ours", "decode"),
        f"{OURS}-parallel": System("ours", "decode_in_processes"),
        f"{OURS}-matt": System("ours", "decode_merged"),
        "ctranslate2": System("ctranslate2", "decode"),
        "ctranslate2-parallel": System("ctranslate2", "decode_by_workers"),
    }
    | {name: System(name, "decode", name) for name in TOOLKITS},
    peers=TOOLKITS,
    draw=draw,
    method={
        "sentences_a_batch": SENTENCES,
        "words_a_sentence": [FEWEST_WORDS, MOST_WORDS],
        "beam": BEAM,
        "steps": STEPS,
        "counted": "tokens of the best hypotheses",
        "flops": "of the standard model, from bench/sentences.py; of MAtt for ours-matt",
    },
)


@dataclass(frozen=True, kw_only=True)
class Args(Options):
    """Translate the same sentences by each system in turn; NAME@int8 asks for a precision."""

    systems: tuple[str, ...] = (
        *(OURS, f"{OURS}@bfloat16", f"{OURS}@int8"),
        *(f"{OURS}-parallel", f"{OURS}-parallel@bfloat16", f"{OURS}-parallel@int8"),
        *(f"{OURS}-matt", f"{OURS}-matt@int8"),
        *("huggingface", "huggingface@bfloat16", "opennmt", "joeynmt"),
        *("sockeye", "sockeye@int8", "eole", "ctranslate2", "ctranslate2@int8"),
        *("ctranslate2-parallel", "ctranslate2-parallel@int8"),
    )
    logs: Path = Path("logs/bench/decoding")
    output: Path = Path("results/bench/decoding.json")


if __name__ == "__main__":
    sys.exit(DECODING.run(parse(Args)))

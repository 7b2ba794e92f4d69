"""Speed of decoding, ours beside the peers: one table a size, and all figures as JSON."""

import sys
from dataclasses import dataclass
from pathlib import Path

from bench.comparison import Comparison, Options
from bench.sentences import BEAM, FEWEST_WORDS, MOST_WORDS, SENTENCES, STEPS, draw
from bench.systems import FAIRSEQ, OURS, OWN
from deepmt.cli import parse

TOOLKITS = ("huggingface", "opennmt", "joeynmt", "sockeye", "eole")
"""Those whose beam search is Python, like ours."""
TRANSLATORS = ("ctranslate2", "ctranslate2-parallel")
DECODING = Comparison(
    title="Decoding",
    workers="bench.decoders",
    systems={OURS: OWN, f"{OURS}-parallel": OWN, f"{OURS}-matt": OWN}
    | dict.fromkeys(TRANSLATORS, "huggingface")
    | {name: name for name in TOOLKITS},
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
    left_out={
        "fairseq": FAIRSEQ,
        "marian": "its decoder takes the longest output as a multiple of the source's length and "
        "no shortest one, so that no number of steps can be forced",
    },
)


@dataclass(frozen=True, kw_only=True)
class Args(Options):
    """Translate the same sentences by each system in turn; NAME@int8 asks for a precision."""

    systems: tuple[str, ...] = (
        OURS,
        f"{OURS}@bfloat16",
        f"{OURS}@int8",
        f"{OURS}-parallel",
        f"{OURS}-parallel@bfloat16",
        f"{OURS}-parallel@int8",
        f"{OURS}-matt",
        f"{OURS}-matt@int8",
        "huggingface",
        "huggingface@bfloat16",
        "opennmt",
        "joeynmt",
        "sockeye",
        "sockeye@int8",
        "eole",
        "ctranslate2",
        "ctranslate2@int8",
        "ctranslate2-parallel",
        "ctranslate2-parallel@int8",
    )
    logs: Path = Path("logs/bench/decoding")
    output: Path = Path("results/bench/decoding.json")


if __name__ == "__main__":
    sys.exit(DECODING.run(parse(Args)))

"""Choose the number of subwords for a text, and count its lengths in them on a sample."""

import random
from pathlib import Path
from statistics import fmean

from deepmt.base.errors import UserError
from deepmt.data.cleaning import Cleaner
from deepmt.data.lines import read_lines, write_lines
from deepmt.data.subword import learn, load_segmenter
from deepmt.settings.corpora import CorpusSize
from deepmt.settings.spec import Data
from wings.text.clean_text import CleanText
from wings.text.messages import say
from wings.text.request import TextRequest
from wings.text.text_folder import LEAST_PAIRS
from wings.text.text_settings import TEXT_STEPS

PIECES = {20_000: 2000, 100_000: 4000, 1_000_000: 8000}
"""Subwords of a side by the training pairs below which they are taken; 16,000 beyond."""
MOST_PIECES = 16_000
SAMPLE = 5000
"""Training pairs that are cut into subwords to learn their lengths."""


def pieces_for(text: CleanText) -> int:
    """Return the subwords of a side: by the pairs, and with room for every character."""
    by_pairs = (count for most, count in PIECES.items() if text.pairs["train"] < most)
    return max(next(by_pairs, MOST_PIECES), -(-text.alphabet * 5 // 4000) * 1000)


def count_subwords(asked: TextRequest, folder: Path, pieces: int, text: CleanText) -> CorpusSize:
    """Return the pairs that training keeps and their mean lengths, counted on a sample.

    Raises:
        ValueError: too few pairs are short enough.
    """
    steps = {**TEXT_STEPS, "corpus": asked.corpus, "source": asked.source, "target": asked.target}
    data, pairs = Data(**steps, merges=pieces), text.pairs["train"]
    drawn = set(random.Random(1).sample(range(pairs), min(SAMPLE, pairs)))
    sampled = {language: folder / f"sample.{language}" for language in asked.languages}
    for language, path in sampled.items():
        lines = enumerate(read_lines(folder / f"text/train.{language}"))
        write_lines(path, (line for n, line in lines if n in drawn))
    learn(data, sampled, folder)
    cut = (
        map(load_segmenter(data, folder.joinpath, language).segment, read_lines(path))
        for language, path in sampled.items()
    )
    cleaner = Cleaner(data)
    short = [pair for pair in zip(*cut, strict=True) if cleaner.keep(*pair)]
    kept = pairs * len(short) // len(drawn)
    limits = f"over {data.max_tokens} subwords, or one side over {data.max_ratio:g} times the other"
    if pairs - kept:
        say("dropped", f"about {pairs - kept:,} of {pairs:,} training pairs in training: {limits}")
    if kept < LEAST_PAIRS:
        raise UserError(
            f"{asked.text}: about {kept:,} training pairs are short enough, and"
            f" {LEAST_PAIRS:,} are needed: break long lines"
        )
    lengths = [[line.count(" ") + 2 for line in side] for side in zip(*short, strict=True)]
    return CorpusSize(
        pairs=kept,
        types=(pieces, pieces),
        joint_types=2 * pieces,
        lengths=(fmean(lengths[0]), fmean(lengths[1])),
        basis=f"counted on {len(drawn)} pairs",
    )

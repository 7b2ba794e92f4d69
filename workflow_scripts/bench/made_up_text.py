"""Text of any size for no one to read: words with Zipf's frequencies and no end of rare ones."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deepmt.cli import parse
from deepmt.data.lines import replacing

CHUNK = 50_000
EXPONENT, FLATTENING = 1.45, 15.0
"""Zipf-Mandelbrot: the word of rank r has a frequency like (r + FLATTENING) ** -EXPONENT.

With these, a million words have 53,000 types, and 160 million have 1.8 million.
"""
MEAN_WORDS = 8
SYLLABLES = 80
VOWELS = {"en": "aeiou", "de": "aeiouäöü"}
CONSONANTS = "bcdfghjklmnprstvwz"

Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write train.en and train.de."""

    pairs: int
    folder: Path
    seed: int = 1


class Language:
    """Spells ranks: frequent words are short, and every rank has a word of its own."""

    def __init__(self, name: str, draw: np.random.Generator) -> None:
        pairs = [c + v for c in CONSONANTS for v in VOWELS[name]]
        self.syllables = [pairs[i] for i in draw.permutation(len(pairs))[:SYLLABLES]]

    def spell(self, rank: int) -> str:
        """The digits of a rank, as syllables."""
        word = self.syllables[rank % SYLLABLES]
        while rank := rank // SYLLABLES:
            word += self.syllables[(rank - 1) % SYLLABLES]
            rank -= 1
        return word

    def lines(self, lengths: Integers, draw: np.random.Generator) -> Iterator[str]:
        """Sentences of so many words, with a capital, a full stop and a few commas."""
        uniform = 1 - draw.random(int(lengths.sum()))
        ranks = FLATTENING * (uniform ** (1 / (1 - EXPONENT)) - 1)
        distinct, inverse = np.unique(np.minimum(ranks, 1e15).astype(np.int64), return_inverse=True)
        spelled = np.array([self.spell(rank) for rank in distinct.tolist()], dtype=object)
        words = spelled[inverse]
        words[:-1][draw.random(len(words) - 1) < 0.05] += ","
        stops = np.cumsum(lengths)
        for start, stop in zip(stops - lengths, stops, strict=True):
            yield " ".join(words[start:stop]).rstrip(",").capitalize() + ".\n"


def main(args: Args) -> None:
    """Chunk by chunk, the two sides being of like length."""
    draw = np.random.default_rng(args.seed)
    languages = {name: Language(name, draw) for name in VOWELS}
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(replacing(args.folder / f"train.{name}"))
            for name in languages
        }
        for done in range(0, args.pairs, CHUNK):
            lengths = 1 + draw.poisson(MEAN_WORDS - 1, min(CHUNK, args.pairs - done))
            for name, language in languages.items():
                near = np.maximum(1, lengths + draw.integers(-1, 2, len(lengths)))
                files[name].writelines(language.lines(near, draw))


if __name__ == "__main__":
    main(parse(Args))

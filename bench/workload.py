"""Define model sizes, and draw synthetic batches to train on or to translate.

Standard library and numpy only: the environments of the peers import this file too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

PAD, UNK, EOS, BOS = range(4)
SPECIALS = ("<blank>", "<unk>", "</s>", "<s>")
FIRST_WORD = 4
SHORTEST, LONGEST = 5, 60
"""Tokens of a training sentence, end symbol included."""
MAX_TOKENS = 2000
"""Target positions of a training batch, padding included."""
CAPTIONS, CAPTION_TOKENS = (8, 22), 1080
"""The same of image captions, 15 tokens long on average."""
CORPUS = 20_000
"""Sentences that training batches are cut from."""
DIFFERENCE = 2
"""Tokens by which either side of a training pair may be shorter than its drawn length."""
SENTENCES = 32
"""Sentences of a batch to translate."""
SEED = 1
FEWEST_WORDS, MOST_WORDS = 20, 30
BEAM = 4
STEPS = 30
"""Tokens of every hypothesis, including EOS if the system ends it by EOS."""

Ids = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Size:
    """Define a post-norm Transformer: separate source table, target table tied to the softmax."""

    name: str
    encoder_layers: int
    decoder_layers: int
    d_model: int
    feed_forward: int
    heads: int
    vocabulary: int
    """Types of each side, special ones included."""
    lengths: tuple[int, int] = (SHORTEST, LONGEST)
    """Tokens of its training sentences, end symbol included."""
    batch_tokens: int = MAX_TOKENS
    """Target positions of its training batches, padding included."""

    @property
    def words(self) -> list[str]:
        """Return the vocabulary as text."""
        return [*SPECIALS, *(f"w{i}" for i in range(FIRST_WORD, self.vocabulary))]


def size(
    name: str, layers: int, d_model: int, feed_forward: int, heads: int, types: int, **text: Any
) -> Size:
    """Return a size with as many layers in the encoder as in the decoder."""
    return Size(
        name=name,
        encoder_layers=layers,
        decoder_layers=layers,
        d_model=d_model,
        feed_forward=feed_forward,
        heads=heads,
        vocabulary=types,
        **text,
    )


def narrow(name: str, layers: int, d_model: int, types: int) -> Size:
    """Return a size that translates captions."""
    captions = {"lengths": CAPTIONS, "batch_tokens": CAPTION_TOKENS}
    return size(name, layers, d_model, 4 * d_model, 4, types, **captions)


SIZES = {
    "base": size("base", 6, 512, 2048, 8, 8000),
    "small": size("small", 3, 256, 1024, 4, 4000),
    "toy": narrow("toy", 12, 64, 800),
    "narrow-deep": narrow("narrow-deep", 12, 128, 4000),
    "narrow-shallow": narrow("narrow-shallow", 3, 128, 4000),
    # As in CTranslate2's published benchmark of English-German.
    "wmt14": size("wmt14", 6, 512, 2048, 8, 32000),
}


@dataclass(frozen=True)
class Sources:
    """Hold source [B, S]; rows end in EOS and are padded on the right."""

    source: Ids

    @property
    def source_lengths(self) -> Ids:
        """Count the tokens of each row, end symbol included."""
        return (self.source != PAD).sum(1)


@dataclass(frozen=True)
class TrainingBatch(Sources):
    """Hold source [B, S] and target [B, T], whose rows end in EOS and padding likewise."""

    target: Ids

    @property
    def target_lengths(self) -> Ids:
        """Count the tokens of each row, end symbol included."""
        return (self.target != PAD).sum(1)

    @property
    def target_tokens(self) -> int:
        """Count the target tokens, end symbols included."""
        return int(self.target_lengths.sum())

    @property
    def decoder_input(self) -> Ids:
        """Return BOS and the target without its last column."""
        start = np.full((len(self.target), 1), BOS)
        return np.concatenate([start, self.target[:, :-1]], axis=1)

    def check(self, loss: float) -> None:
        """Raise FloatingPointError if the loss is not finite."""
        if not math.isfinite(loss):
            raise FloatingPointError(f"loss is {loss}")


@dataclass(frozen=True)
class Sentences(Sources):
    """Hold source [B, S] to translate."""

    @property
    def target_tokens(self) -> int:
        """Count the tokens of the best hypotheses only."""
        return len(self.source) * STEPS

    def check(self, hypotheses: Sequence[Sequence[int]]) -> None:
        """Raise ValueError unless every sentence has one translation of `STEPS` tokens."""
        if len(hypotheses) != len(self.source):
            raise ValueError(f"{len(hypotheses)} translations of {len(self.source)} sentences")
        for number, tokens in enumerate(hypotheses):
            if len(tokens) != STEPS or PAD in tokens or EOS in tokens[:-1]:
                raise ValueError(f"sentence {number}: expected {STEPS} tokens, got {list(tokens)}")


def draw_training(
    size: Size,
    count: int,
    max_tokens: int = 0,
    lengths: tuple[int, int] | None = None,
) -> list[TrainingBatch]:
    """Draw evenly spaced batches of similar length from a corpus sorted by length.

    Size and lengths are those of the model's own text, unless given.
    """
    generator = np.random.default_rng(SEED)
    longest = np.sort(generator.integers(*(lengths or size.lengths), CORPUS, endpoint=True))
    pieces = cut(longest, max_tokens or size.batch_tokens)
    steps = (np.arange(count) + 0.5) * len(pieces) / count
    chosen = generator.permutation(steps.astype(int))
    return [_training_batch(size, pieces[i], generator) for i in chosen]


def cut(lengths: Ids, max_tokens: int) -> list[Ids]:
    """Split ascending lengths into batches of at most `max_tokens`, padding included."""
    pieces, start = [], 0
    for end in range(1, len(lengths) + 1):
        if end == len(lengths) or (end + 1 - start) * lengths[end] > max_tokens:
            pieces.append(lengths[start:end])
            start = end
    return pieces


def _training_batch(size: Size, longest: Ids, generator: np.random.Generator) -> TrainingBatch:
    sides = []
    for _ in ("source", "target"):
        shorter = longest - generator.integers(0, DIFFERENCE, len(longest), endpoint=True)
        sides.append(random_rows(size.vocabulary, np.maximum(shorter, SHORTEST), generator))
    return TrainingBatch(*sides)


def draw_sentences(size: Size, count: int, sentences: int = SENTENCES) -> list[Sentences]:
    """Draw batches to translate, with random lengths and words."""
    generator = np.random.default_rng(SEED)
    shape = FEWEST_WORDS, MOST_WORDS, sentences
    drawn = (1 + generator.integers(*shape, endpoint=True) for _ in range(count))
    return [Sentences(random_rows(size.vocabulary, lengths, generator)) for lengths in drawn]


def random_rows(vocabulary: int, lengths: Ids, generator: np.random.Generator) -> Ids:
    """Draw rows of random words, each with EOS and padding at the end."""
    rows = generator.integers(FIRST_WORD, vocabulary, (len(lengths), int(lengths.max())))
    columns = np.arange(rows.shape[1])
    rows[columns >= lengths[:, None]] = PAD
    rows[np.arange(len(lengths)), lengths - 1] = EOS
    return rows

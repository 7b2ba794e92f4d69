"""What every system translates: sentences of 20 to 30 words, 30 steps each, and what they cost.

Standard library and numpy only: the environments of the peers import this file too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.workload import EOS, PAD, Ids, Size, Workload, lengths, random_rows

SENTENCES = 32
FEWEST_WORDS, MOST_WORDS = 20, 30
BEAM = 4
STEPS = 30
"""Tokens of every hypothesis; where a system ends it by EOS, that is the last of them."""
SEED = 1
"""Of the random weights."""
FORBIDDEN = -1e4
"""Bias of a token that must not be chosen: small enough to leave float32 its digits in a sum."""


@dataclass(frozen=True)
class Sentences:
    """Source [B, S], each row ending in EOS and padded on the right."""

    source: Ids

    @property
    def source_lengths(self) -> Ids:
        """Real tokens of each row, end symbol included."""
        return lengths(self.source)

    @property
    def target_tokens(self) -> int:
        """Of the best hypotheses alone."""
        return len(self.source) * STEPS

    def flops(self, size: Size) -> float:
        """Of the standard model."""
        return decoding_flops(size, self.source_lengths)

    def check(self, hypotheses: Sequence[Sequence[int]]) -> None:
        """Every sentence has one translation, of `STEPS` real tokens.

        Raises:
            ValueError: a sentence has none, or a shorter or longer one.
        """
        if len(hypotheses) != len(self.source):
            raise ValueError(f"{len(hypotheses)} translations of {len(self.source)} sentences")
        for number, tokens in enumerate(hypotheses):
            if len(tokens) != STEPS or PAD in tokens or EOS in tokens[:-1]:
                raise ValueError(
                    f"sentence {number}: asked for were {STEPS} tokens, made were {list(tokens)}"
                )


def decoding_flops(size: Size, source: Ids, *, merged: bool = False) -> float:
    """Multiplications and additions of a beam search over sentences of these lengths [B].

    A source token costs an encoder layer 4 d^2 + 2 d f and a decoder layer 2 d^2 (its key and
    value), once; a pair of source tokens costs an encoder layer 2 d. In each of T steps each of
    the `BEAM` hypotheses costs a decoder layer 6 d^2 (q, k, v, output; q and output of
    cross-attention) + 2 d f + 2 d (t + s), and the softmax d V. Merged attention over an average
    has 3 d^2 (value, q, output), and 2 d s. The first step counts like the others, though its
    hypotheses are still alike.
    """
    d = size.d_model
    feed_forward = 2 * d * size.feed_forward
    num_source, source_pairs = float(source.sum()), float((source**2).sum())
    num_target = len(source) * BEAM * STEPS
    cross_pairs = BEAM * STEPS * num_source
    own_pairs = len(source) * BEAM * STEPS * (STEPS + 1) / 2
    projections, pairs = (3, cross_pairs) if merged else (6, cross_pairs + own_pairs)
    encoder = num_source * (4 * d * d + feed_forward) + 2 * d * source_pairs
    decoder = num_source * 2 * d * d
    decoder += num_target * (projections * d * d + feed_forward) + 2 * d * pairs
    output = num_target * d * size.vocabulary
    return 2 * (size.encoder_layers * encoder + size.decoder_layers * decoder + output)


def draw(size: Size, count: int, seed: int = 1) -> Workload[Sentences]:
    """Batches of sentences, lengths and words at random."""
    generator = np.random.default_rng(seed)
    return Workload(size, tuple(_batch(size, generator) for _ in range(count)))


def _batch(size: Size, generator: np.random.Generator) -> Sentences:
    words = generator.integers(FEWEST_WORDS, MOST_WORDS, SENTENCES, endpoint=True)
    return Sentences(random_rows(size.vocabulary, words + 1, generator))

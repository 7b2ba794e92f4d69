"""What every system trains on: synthetic batches, the model's size, and what they cost.

Standard library and numpy only: the environments of the peers import this file too.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PAD, UNK, EOS, BOS = range(4)
FIRST_WORD = 4
SHORTEST, LONGEST = 5, 60
MAX_TOKENS = 2000
SENTENCES = 20_000
SPREAD = 2
"""By how many tokens sides of one batch may be shorter than its sentences' length."""
BACKWARD_AND_FORWARD = 3

Ids = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Size:
    """A post-norm Transformer: separate source table, target table tied to the softmax."""

    name: str
    encoder_layers: int
    decoder_layers: int
    d_model: int
    feed_forward: int
    heads: int
    vocabulary: int
    """Types of each side, special ones included."""


SIZES = {
    size.name: size
    for size in (
        Size(
            name="base",
            encoder_layers=6,
            decoder_layers=6,
            d_model=512,
            feed_forward=2048,
            heads=8,
            vocabulary=8000,
        ),
        Size(
            name="small",
            encoder_layers=3,
            decoder_layers=3,
            d_model=256,
            feed_forward=1024,
            heads=4,
            vocabulary=4000,
        ),
    )
}


@dataclass(frozen=True)
class Batch:
    """Source [B, S] and target [B, T], each row ending in EOS and padded on the right."""

    source: Ids
    target: Ids

    @property
    def source_lengths(self) -> Ids:
        """Real tokens of each row, end symbol included."""
        return (self.source != PAD).sum(1)

    @property
    def target_lengths(self) -> Ids:
        """Real tokens of each row, end symbol included."""
        return (self.target != PAD).sum(1)

    @property
    def target_tokens(self) -> int:
        """Real target tokens, end symbols included."""
        return int(self.target_lengths.sum())

    @property
    def decoder_input(self) -> Ids:
        """What the decoder reads: BOS, then the target without its last column."""
        start = np.full((len(self.target), 1), BOS)
        return np.concatenate([start, self.target[:, :-1]], axis=1)


@dataclass(frozen=True)
class Workload:
    """A size, and batches for it."""

    size: Size
    batches: tuple[Batch, ...]

    def save(self, path: Path) -> None:
        """One .npz: `size` (JSON), `source0`, `target0`, `source1`, ..."""
        arrays: dict[str, Any] = {"size": np.array(json.dumps(asdict(self.size)))}
        for i, batch in enumerate(self.batches):
            arrays |= {f"source{i}": batch.source, f"target{i}": batch.target}
        np.savez(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> "Workload":
        """What `save` wrote."""
        with np.load(path) as arrays:
            count = (len(arrays.files) - 1) // 2
            batches = tuple(Batch(arrays[f"source{i}"], arrays[f"target{i}"]) for i in range(count))
            return cls(Size(**json.loads(str(arrays["size"]))), batches)

    @property
    def padding(self) -> float:
        """Share of target positions that hold no token."""
        positions = sum(batch.target.size for batch in self.batches)
        return 1 - sum(batch.target_tokens for batch in self.batches) / positions

    @property
    def flops_per_token(self) -> float:
        """Mean over all target tokens."""
        flops = sum(training_flops(self.size, batch) for batch in self.batches)
        return flops / sum(batch.target_tokens for batch in self.batches)


def training_flops(size: Size, batch: Batch) -> float:
    """Operations of one update's matrix products, without padding: thrice the forward pass."""
    return BACKWARD_AND_FORWARD * forward_flops(size, batch.source_lengths, batch.target_lengths)


def forward_flops(size: Size, source: Ids, target: Ids) -> float:
    """Multiplications and additions of the forward pass; lengths [B] with end symbols.

    A layer projects each token four times (q, k, v, output) and attends: 2 products of d by the
    tokens seen, which for decoder self-attention are half of all. Cross-attention projects each
    target token twice and each source token twice.
    """
    d = size.d_model
    num_source, num_target = float(source.sum()), float(target.sum())
    source_pairs, target_pairs = float((source**2).sum()), float((target**2).sum()) / 2
    cross_pairs = float((source * target).sum())
    feed_forward = 2 * d * size.feed_forward
    encoder = num_source * (4 * d * d + feed_forward) + 2 * d * source_pairs
    decoder = num_target * (6 * d * d + feed_forward) + num_source * 2 * d * d
    decoder += 2 * d * (target_pairs + cross_pairs)
    output = num_target * d * size.vocabulary
    return 2 * (size.encoder_layers * encoder + size.decoder_layers * decoder + output)


def draw(size: Size, count: int, seed: int = 1) -> Workload:
    """Batches of like length, at most 2,000 target positions each, padding included.

    They are taken at even steps from a corpus sorted by length, so that few stand for all of it.
    """
    generator = np.random.default_rng(seed)
    longest = np.sort(generator.integers(SHORTEST, LONGEST, SENTENCES, endpoint=True))
    pieces = cut(longest)
    steps = (np.arange(count) + 0.5) * len(pieces) / count
    chosen = generator.permutation(steps.astype(int))
    return Workload(size, tuple(_batch(size, pieces[i], generator) for i in chosen))


def cut(lengths: Ids) -> list[Ids]:
    """Rising lengths in pieces whose rows times longest stay within the budget."""
    pieces, start = [], 0
    for end in range(1, len(lengths) + 1):
        if end == len(lengths) or (end + 1 - start) * lengths[end] > MAX_TOKENS:
            pieces.append(lengths[start:end])
            start = end
    return pieces


def _batch(size: Size, longest: Ids, generator: np.random.Generator) -> Batch:
    sides = []
    for _ in ("source", "target"):
        shorter = longest - generator.integers(0, SPREAD, len(longest), endpoint=True)
        lengths = np.maximum(shorter, SHORTEST)
        sides.append(_rows(size.vocabulary, lengths, generator))
    return Batch(*sides)


def _rows(vocabulary: int, lengths: Ids, generator: np.random.Generator) -> Ids:
    rows = generator.integers(FIRST_WORD, vocabulary, (len(lengths), int(lengths.max())))
    columns = np.arange(rows.shape[1])
    rows[columns >= lengths[:, None]] = PAD
    rows[np.arange(len(lengths)), lengths - 1] = EOS
    return rows

"""What the systems work on: the model's size, and synthetic batches to train on with their cost.

Standard library and numpy only: the environments of the peers import this file too.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

PAD, UNK, EOS, BOS = range(4)
SPECIALS = ("<blank>", "<unk>", "</s>", "<s>")
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

    @property
    def words(self) -> list[str]:
        """The vocabulary as text."""
        return [*SPECIALS, *(f"w{i}" for i in range(FIRST_WORD, self.vocabulary))]


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


class Work(Protocol):
    """One step of any kind of work: a dataclass of arrays."""

    @property
    def target_tokens(self) -> int:
        """What is counted."""

    def flops(self, size: Size) -> float:
        """Multiplications and additions of its matrix products, without padding."""

    def check(self, result: Any) -> None:
        """Refuse what no system that did the work can have returned."""


Kind = TypeVar("Kind", bound=Work)


@dataclass(frozen=True)
class Workload(Generic[Kind]):
    """A size, and steps of work for it."""

    size: Size
    batches: tuple[Kind, ...]

    def save(self, path: Path) -> None:
        """One .npz: `size` (JSON), and the arrays of each batch with its number, as `source0`."""
        arrays: dict[str, Any] = {"size": np.array(json.dumps(asdict(self.size)))}
        for i, batch in enumerate(self.batches):
            arrays |= {f"{name}{i}": array for name, array in vars(batch).items()}
        np.savez(path, **arrays)

    @classmethod
    def load(cls, path: Path, kind: type[Kind]) -> "Workload[Kind]":
        """What `save` wrote."""
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
        with np.load(path) as arrays:
            size = Size(**json.loads(str(arrays["size"])))
            count = (len(arrays.files) - 1) // len(names)
            batches = [kind(**{n: arrays[f"{n}{i}"] for n in names}) for i in range(count)]
        return cls(size, tuple(batches))

    @property
    def flops_per_token(self) -> float:
        """Mean over all target tokens."""
        flops = sum(batch.flops(self.size) for batch in self.batches)
        return flops / sum(batch.target_tokens for batch in self.batches)


def lengths(rows: Ids) -> Ids:
    """Real tokens of each row [B, T], end symbol included."""
    return (rows != PAD).sum(1)


@dataclass(frozen=True)
class Batch:
    """Source [B, S] and target [B, T], each row ending in EOS and padded on the right."""

    source: Ids
    target: Ids

    @property
    def source_lengths(self) -> Ids:
        """Real tokens of each row, end symbol included."""
        return lengths(self.source)

    @property
    def target_lengths(self) -> Ids:
        """Real tokens of each row, end symbol included."""
        return lengths(self.target)

    @property
    def target_tokens(self) -> int:
        """Real target tokens, end symbols included."""
        return int(self.target_lengths.sum())

    @property
    def decoder_input(self) -> Ids:
        """What the decoder reads: BOS, then the target without its last column."""
        start = np.full((len(self.target), 1), BOS)
        return np.concatenate([start, self.target[:, :-1]], axis=1)

    def flops(self, size: Size) -> float:
        """Of one update: thrice the forward pass."""
        return BACKWARD_AND_FORWARD * forward_flops(size, self.source_lengths, self.target_lengths)

    def check(self, loss: float) -> None:
        """A loss is a number.

        Raises:
            FloatingPointError: it is not.
        """
        if not math.isfinite(loss):
            raise FloatingPointError(f"loss is {loss}")


def padding(batches: Sequence[Batch]) -> float:
    """Share of target positions that hold no token."""
    positions = sum(batch.target.size for batch in batches)
    return 1 - sum(batch.target_tokens for batch in batches) / positions


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


def draw(size: Size, count: int, seed: int = 1) -> Workload[Batch]:
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
        sides.append(random_rows(size.vocabulary, np.maximum(shorter, SHORTEST), generator))
    return Batch(*sides)


def random_rows(vocabulary: int, lengths: Ids, generator: np.random.Generator) -> Ids:
    """Words of any kind, EOS at the end, padding behind it."""
    rows = generator.integers(FIRST_WORD, vocabulary, (len(lengths), int(lengths.max())))
    columns = np.arange(rows.shape[1])
    rows[columns >= lengths[:, None]] = PAD
    rows[np.arange(len(lengths)), lengths - 1] = EOS
    return rows

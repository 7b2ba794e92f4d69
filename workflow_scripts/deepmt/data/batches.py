"""Batch sentences of similar length, and draw the batches of every update from the seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deepmt.base.device_batches import device_batches
from deepmt.base.errors import UserError
from deepmt.data.encoded import EncodedPair, EncodedText
from deepmt.data.vocabulary import EOS, PAD
from deepmt.settings.spec import Training

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """Hold source [B, S] and target [B, T], both ending in EOS and padded on the right."""

    source: Tensor
    target: Tensor

    def to(self, device: torch.device | str) -> "Batch":
        """Return the batch on another device."""
        return Batch(moved(self.source, device), moved(self.target, device))

    @cached_property
    def target_tokens(self) -> int:
        """Count the target tokens, end symbols included."""
        return int((self.target != PAD).sum())

    @property
    def sentences(self) -> int:
        """Count the rows with a target."""
        return int((self.target[:, 0] != PAD).sum())

    @property
    def longest(self) -> int:
        """Return the length of its longer side."""
        return max(self.source.size(1), self.target.size(1))


def moved(x: Tensor, device: torch.device | str) -> Tensor:
    """Return x on another device; the CPU does not wait until a GPU has it."""
    if x.device.type == "cpu" and torch.device(device).type == "cuda":
        return x.pin_memory().to(device, non_blocking=True)
    return x.to(device)


def padded(text: EncodedText, rows: Indices, max_length: int) -> Tensor:
    """Return rows of a text as one tensor: each cut to `max_length` tokens, EOS added, padded."""
    starts = text.offsets[rows]
    lengths = np.minimum(text.offsets[rows + 1] - starts, max_length)
    columns = np.arange(int(lengths.max()) + 1)
    real = columns < lengths[:, None]
    out = np.full(real.shape, PAD, dtype=np.int64)
    out[real] = text.ids[(starts[:, None] + columns)[real]]
    out[np.arange(len(rows)), lengths] = EOS
    return torch.from_numpy(out)


@dataclass(eq=False)
class TrainingBatches:
    """Draw the updates of every epoch; equal seeds give equal updates.

    A device batch holds as many sentences of similar length as fit if each counts as the longest
    side of the batch with its end symbol: sentences * longest <= its tokens, as in the papers' code
    bases. An update takes some of them, drawn at random, so that a large one has all lengths.

    `order` says if every epoch cuts the sentences anew, or all share one cut (fairseq). `counts`
    says whether the source alone counts, and with its padding or without it (Marian).
    """

    pair: EncodedPair
    update_tokens: int
    max_length: int
    seed: int
    device_tokens: int = 0
    multiple: int = 1
    order: Literal["redrawn", "fixed"] = "redrawn"
    counts: Literal["longer", "source", "source_words"] = "longer"

    def __post_init__(self) -> None:
        self.source_lengths, self.target_lengths = (
            np.minimum(side.lengths, self.max_length) + 1
            for side in (self.pair.source, self.pair.target)
        )
        self.longest = np.maximum(self.source_lengths, self.target_lengths)
        self.counted = self.longest if self.counts == "longer" else self.source_lengths
        self.batches_per_update = device_batches(self.update_tokens, self.device_tokens)
        self.max_tokens = self.update_tokens // self.batches_per_update
        if int(self.counted.max()) > self.max_tokens:
            key = "device_tokens" if self.batches_per_update > 1 else "batch_tokens"
            raise UserError(
                f"training.{key}={self.max_tokens} is less than the longest sentence "
                f"({int(self.counted.max())} tokens): raise it or lower training.max_length"
            )

    @classmethod
    def of(cls, pair: EncodedPair, recipe: Training, seed: int) -> "TrainingBatches":
        """Return the batches of a recipe."""
        return cls(
            pair,
            recipe.batch_tokens,
            recipe.max_length,
            seed,
            recipe.device_tokens,
            recipe.batch_multiple,
            recipe.batch_order,
            recipe.batch_counts,
        )

    @cached_property
    def padding(self) -> float:
        """Return the share of padding in the first epoch, over the positions of both sides."""
        padded = sum(
            len(rows) * int(side[rows].max())
            for rows in chain.from_iterable(self.epoch(0))
            for side in (self.source_lengths, self.target_lengths)
        )
        return 1 - int(self.source_lengths.sum() + self.target_lengths.sum()) / padded

    def epoch(self, number: int) -> list[list[Indices]]:
        """Return the row numbers of every device batch of every update of epoch `number`.

        The last update takes the batches that are left, as fairseq's does.
        """
        draw = np.random.default_rng([self.seed, number])
        batches = self.fixed if self.order == "fixed" else self.redrawn(draw)
        drawn = [batches[i] for i in draw.permutation(len(batches))]
        size = self.batches_per_update
        return [drawn[first : first + size] for first in range(0, len(drawn), size)]

    def redrawn(self, draw: np.random.Generator) -> list[Indices]:
        """Return device batches by the longer side, then source."""
        # Ties stay in drawn order, so that an epoch's batches differ from the last one's.
        return self._cut(draw, self.source_lengths, self.longest)

    @cached_property
    def fixed(self) -> list[Indices]:
        """Return the device batches of every epoch, by source, then target (ordered_indices)."""
        draw = np.random.default_rng([self.seed, 0, 1])  # another draw than any epoch's
        return self._cut(draw, self.target_lengths, self.source_lengths)

    def _cut(self, draw: np.random.Generator, second: Indices, first: Indices) -> list[Indices]:
        order = draw.permutation(len(self.longest))
        order = order[np.lexsort((second[order], first[order]))]
        padded = self.counts != "source_words"
        return cut(order, self.counted[order], self.max_tokens, self.multiple, padded=padded)

    def batch(self, rows: Indices) -> Batch:
        """Return the tensors of some rows."""
        return Batch(
            padded(self.pair.source, rows, self.max_length),
            padded(self.pair.target, rows, self.max_length),
        )


def cut(
    order: Indices, lengths: Indices, max_tokens: int, multiple: int = 1, *, padded: bool = True
) -> list[Indices]:
    """Cut rows into batches of at most `max_tokens` padded tokens.

    Each takes as many rows as fit, and the largest multiple of `multiple` of them that is not 0;
    the next one begins with the rest. The last takes all that are left (fairseq, batch_by_size).
    Without padding, the row that exceeds the tokens still belongs to the batch that it ends
    (Marian, BatchGenerator).
    """
    batches, start = [], 0
    while start < len(order):
        window = lengths[start : start + max_tokens + 1]
        if padded:
            sums = np.maximum.accumulate(window) * np.arange(1, len(window) + 1)
        else:
            sums = np.cumsum(window) - window  # of the rows before each
        # They never fall: search for the last that fits.
        fits = int(np.searchsorted(sums, max_tokens, "right"))
        if start + fits < len(order):
            fits = fits - fits % multiple or fits
        batches.append(order[start : start + fits])
        start += fits
    return batches


def in_order_of_length(batches: TrainingBatches) -> Iterator[Indices]:
    """Yield batches over a dev or test split: each row once, longest first."""
    order = np.lexsort((batches.source_lengths, batches.longest))
    yield from reversed(cut(order, batches.longest[order], batches.max_tokens))

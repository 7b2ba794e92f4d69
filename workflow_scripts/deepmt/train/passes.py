"""Deal the rows of an update to workers, and cut each share into passes through the model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from deepmt.data.batches import Batch, Indices, TrainingBatches
from deepmt.train.workers import Workers

PASS_POSITIONS = 25_000
"""Positions of a pass on a GPU, at most: rows * longest side. The base model fills an H200 with so
many (docs/gpu.md)."""
PASS_COST = 20_000
"""Positions that a GPU computes in the time that one more pass waits for launches. A pass of the
base model took 31.1 ms for 4,096 positions and 57.4 ms for 25,000, so 26 ms for none. As one graph,
4,096 took 9.8 ms, of which this would be 1,600."""


@dataclass(frozen=True)
class Share:
    """Hold what one worker computes of an update, and what the loss of the whole is divided by."""

    passes: Sequence[tuple[int, Batch]]
    """The number in the update of the first row, which seeds dropout, and the rows."""
    sentences: int
    target_tokens: int

    @classmethod
    def whole(cls, batches: Sequence[Batch]) -> "Share":
        """Return the share of a worker that computes all batches of an update."""
        firsts = accumulate((len(batch.source) for batch in batches), initial=0)
        return cls(
            list(zip(firsts, batches, strict=False)),
            sum(batch.sentences for batch in batches),
            sum(batch.target_tokens for batch in batches),
        )

    @classmethod
    def of(
        cls, batches: TrainingBatches, rows: Sequence[Indices], workers: Workers, positions: int
    ) -> "Share":
        """Return a worker's share of an update of these device batches.

        Its passes have up to `positions` positions; 0 = they are device batches.
        """
        every = np.concatenate(rows)
        if positions:
            passes = regrouped(batches, every, workers, positions)
        else:
            passes = device_passes(batches, rows, workers)
        return cls(list(passes), len(every), int(batches.target_lengths[every].sum()))


def device_passes(
    batches: TrainingBatches, rows: Sequence[Indices], workers: Workers
) -> Iterator[tuple[int, Batch]]:
    """Yield whole device batches, or rows of each if there are fewer of them than workers."""
    taken = range(len(rows))[workers.shard(len(rows))]
    firsts = accumulate(map(len, rows), initial=0)
    for number, (first, each) in enumerate(zip(firsts, rows, strict=False)):
        if len(rows) < workers.size:
            own = workers.shard(len(each))
        else:
            own = slice(0, len(each) if number in taken else 0)
        if own.start < own.stop:
            batch = batches.batch(each)
            yield first + own.start, Batch(batch.source[own], batch.target[own])


def regrouped(
    batches: TrainingBatches, rows: Indices, workers: Workers, positions: int
) -> Iterator[tuple[int, Batch]]:
    """Yield passes of rows of similar length.

    Rows are dealt by length, the longest first, so that all workers have equal shares.
    """
    order = rows[np.lexsort((-batches.source_lengths[rows], -batches.longest[rows]))]
    own = order[workers.rank :: workers.size]
    first = workers.rank * -(-len(order) // workers.size)  # each row has a number of its own
    for start, stop in spans(batches.longest[own], positions):
        yield first + start, batches.batch(own[start:stop])


def spans(longest: Indices, positions: int) -> Iterator[tuple[int, int]]:
    """Cut rows, the longest first, into passes: yield the first row of each, and that after it.

    Of all cuts between different lengths, take that with the least sum over passes of

        rows * longest + PASS_COST,

    where rows * longest > `positions` count as several passes, and become them.
    """
    edges = np.append(np.flatnonzero(np.diff(longest, prepend=0)), len(longest))
    least, begins = np.zeros(len(edges)), np.zeros(len(edges), dtype=int)
    for end in range(1, len(edges)):
        begin = edges[:end]
        needed = (edges[end] - begin) * longest[begin]
        costs = least[:end] + needed + PASS_COST * -(-needed // positions)
        begins[end] = np.argmin(costs)
        least[end] = costs[begins[end]]
    cuts = [len(edges) - 1]
    while cuts[0]:
        cuts.insert(0, begins[cuts[0]])
    for begin, end in pairwise(edges[cuts].tolist()):
        rows = max(1, positions // int(longest[begin]))
        for start in range(begin, end, rows):
            yield start, min(start + rows, end)

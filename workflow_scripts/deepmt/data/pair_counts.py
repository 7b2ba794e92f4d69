"""How often symbols stand side by side, and which pair does so most often, as subword-nmt counts.

Its learner (learn_bpe.py of subword-nmt 0.3.8) looks for the best pair among frequent ones only
and puts the others aside. What is put aside is replaced, not added to, when the same pair comes up
again: odd words (odd_words.py) can make that happen, and then merges depend on it.
"""

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush, heapreplace

import numpy as np

from deepmt.data.neighbours import Integers

Name = Callable[[int], tuple[str, str]]


class _Falling(tuple[str, str]):
    """Two strings of which the larger pair comes first."""

    __slots__ = ()
    __lt__ = tuple.__gt__


class PairCounts:
    """Pairs are numbers, which `name` spells; the most frequent comes first, then the larger."""

    def __init__(self, pairs: Integers, counts: Integers, name: Name) -> None:
        self._name = name
        self._pairs, self._counts = pairs, counts  # all there are, but for the log and `_frequent`
        self._log: list[tuple[Integers, Integers]] = []
        self._threshold = int(counts.max()) / 10
        self._look_at_frequent()

    def most_frequent(self, merges: int) -> tuple[int, int]:
        """The best pair and its count, after so many merges."""
        best = self._best()
        if best is None:
            self._put_aside()
            self._write_log()
            self._threshold = int(self._counts.max()) * merges / (merges + 10000.0)
            self._look_at_frequent()
            best = self._best()
        assert best is not None
        return best, self._frequent[best]

    def add(self, pairs: Iterable[int], changes: Iterable[int]) -> None:
        """Change counts; a pair that is not among the frequent ones starts from 0."""
        frequent, threshold, queue = self._frequent, self._threshold, self._queue
        for pair, change in zip(pairs, changes, strict=True):
            count = frequent.get(pair, 0) + change
            frequent[pair] = count
            if change > 0 and count >= threshold:
                heappush(queue, (-count, _Falling(self._name(pair)), pair))

    def merged(self, pair: int, merges: int) -> None:
        """The pair is gone after the merge of that number; every 100 merges, look again."""
        self._frequent[pair] = 0
        if merges % 100 == 0:
            self._put_aside()

    def _best(self) -> int | None:
        # Counts that have fallen stay in the queue until they come to its head.
        while self._queue:
            negative, name, pair = self._queue[0]
            count = self._frequent.get(pair, 0)
            if count == -negative:
                return pair
            if count >= self._threshold:
                heapreplace(self._queue, (-count, name, pair))
            else:
                heappop(self._queue)
        return None

    def _put_aside(self) -> None:
        rare = {pair: n for pair, n in self._frequent.items() if n < self._threshold}
        for pair in rare:
            del self._frequent[pair]
        self._log.append((_integers(rare.keys()), _integers(rare.values())))

    def _write_log(self) -> None:
        # The last count that is not negative replaces all before it; negative ones are added.
        pairs = np.concatenate([self._pairs, *(pairs for pairs, _ in self._log)])
        order = np.argsort(pairs, kind="stable")
        counts = np.concatenate([self._counts, *(counts for _, counts in self._log)])[order]
        self._log, pairs = [], pairs[order]
        ends = np.flatnonzero(np.append(pairs[1:] != pairs[:-1], True))
        starts = np.append(0, ends[:-1] + 1)
        valid = np.maximum.accumulate(np.where(counts >= 0, np.arange(len(counts)), -1))[ends]
        sums = np.append(0, np.cumsum(counts))
        self._pairs, self._counts = pairs[ends], sums[ends + 1] - sums[np.maximum(starts, valid)]

    def _look_at_frequent(self) -> None:
        chosen = self._counts >= self._threshold
        pairs, counts = self._pairs[chosen].tolist(), self._counts[chosen].tolist()
        self._frequent = dict(zip(pairs, counts, strict=True))
        self._queue = [(-n, _Falling(self._name(pair)), pair) for pair, n in self._frequent.items()]
        heapify(self._queue)


def _integers(values: Iterable[int]) -> Integers:
    return np.fromiter(values, dtype=np.int64)

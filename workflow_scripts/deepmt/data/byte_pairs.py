"""BPE merges from word counts: those that subword-nmt's learn-bpe finds, faster and in less memory.

All words lie in one array of cells, a character each, parted by BREAK. A merged symbol stands in
its first and its last cell, so that it is found from either side; cells between hold INSIDE. Where
a pair may be is listed when the later of its symbols is made; the array tells whether it still is.

The merges are the same since a string is made by one merge only: whatever is inside two places
that become the same symbol was merged alike, or else a merge had crossed the border of one.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from deepmt.data.neighbours import Cells, Integers, Neighbours, by_neighbour, run_starts
from deepmt.data.odd_words import END, ODD, OddWords, Pair
from deepmt.data.pair_counts import PairCounts

BREAK, INSIDE = -1, -2
LEAST_COUNT = 2
SYMBOL_BITS, PLACE_BITS = 17, 29
BLOCK = 1 << 22

Changes = Iterator[tuple[list[int], list[int]]]


def learn_merges(counts: Mapping[str, int], merges: int) -> list[Pair]:
    """The merges of subword-nmt's learn-bpe (version 0.2), at most so many, in their order.

    Raises ValueError if no word has two characters, or if there are too many words or symbols.
    """
    text = _Text(counts)
    del counts  # which may be the last that holds them, and they are large
    pairs = PairCounts(*text.pair_counts(), text.name)
    learned: list[Pair] = []
    for number in range(merges):
        pair, count = pairs.most_frequent(number)
        if count < LEAST_COUNT:
            break
        for changed, changes in text.merge(pair):
            pairs.add(changed, changes)
        pairs.merged(pair, number)
        learned.append(text.name(pair))
    return learned


class _Text:
    """The words, and what a merge does to them and to the counts of pairs."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        long = [word for word in counts if len(word) > 1]
        if not long:
            raise ValueError("BPE needs a word of two or more characters in the training text")
        self._symbols: list[str] = []
        self._ids: dict[str, int] = {}
        self._made: defaultdict[int, list[tuple[Neighbours, Neighbours]]] = defaultdict(list)
        self._odd = OddWords({word: counts[word] for word in long if ODD.search(word)})
        ordinary = sorted((w for w in long if not ODD.search(w)), key=counts.__getitem__)
        self._cells = self._cells_of(ordinary)
        frequencies = np.fromiter(map(counts.__getitem__, ordinary), np.int64, len(ordinary))
        first = run_starts(frequencies)
        self._frequencies = frequencies[first]
        self._first = np.flatnonzero(self._cells == BREAK)[first]

    def name(self, pair: int) -> Pair:
        """The two strings of a pair."""
        return self._symbols[pair >> SYMBOL_BITS], self._symbols[pair & (1 << SYMBOL_BITS) - 1]

    def pair_counts(self) -> tuple[Integers, Integers]:
        """Every pair of characters side by side, and how often."""
        pairs, sums = self._list_characters()
        odd = self._odd.pair_counts
        pairs = np.append(pairs, np.array([self._number(pair) for pair in odd], dtype=np.int64))
        distinct, inverse = np.unique(pairs, return_inverse=True)
        together = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(together, inverse, np.append(sums, np.array(list(odd.values()), dtype=np.int64)))
        return distinct, together

    def merge(self, pair: int) -> Changes:
        """Merge a pair everywhere; yields other pairs and how their counts change."""
        first, second = self.name(pair)
        left, right = self._id(first), self._id(second)
        new = self._id(first + second)
        places = self._find(left, right)
        if left == right:
            places = _every_other(places, _width(first))
        if len(places):
            yield from self._merge_at(places, left, right, new)
        changes = self._odd.merge((first, second))
        yield [self._number(changed) for changed in changes], list(changes.values())

    def _merge_at(self, places: Cells, left: int, right: int, new: int) -> Changes:
        cells = self._cells
        middles = places + _width(self._symbols[left])
        ends = middles + _width(self._symbols[right])
        before, after = cells[places - 1], cells[ends]
        # Of two that follow each other, the first is the second's neighbour, and not the reverse.
        follows = np.flatnonzero(places[1:] == ends[:-1])
        before[follows + 1], after[follows] = new, BREAK
        cells[middles - 1] = cells[middles] = INSIDE
        cells[places] = cells[ends - 1] = new
        frequencies = self._frequencies_at(places)
        befores, before_sums = by_neighbour(before, places, frequencies)
        afters, after_sums = by_neighbour(after, places, frequencies)
        self._made[new].append((befores, afters))
        symbols = befores.symbols.astype(np.int64)
        past = np.where(symbols == new, right, symbols)
        yield (past << SYMBOL_BITS | left).tolist(), (-before_sums).tolist()
        yield (symbols << SYMBOL_BITS | new).tolist(), before_sums.tolist()
        symbols = afters.symbols.astype(np.int64)
        yield (symbols | right << SYMBOL_BITS).tolist(), (-after_sums).tolist()
        yield (symbols | new << SYMBOL_BITS).tolist(), after_sums.tolist()

    def _find(self, left: int, right: int) -> Cells:
        width = _width(self._symbols[left])
        found = [after.of(right) for _, after in self._made[left]]
        found += [before.of(left) - width for before, _ in self._made[right]]
        places = np.concatenate([np.zeros(0, dtype=np.int32), *found])
        places = places[self._cells[places] == left]
        places = places[self._cells[places + width] == right]
        places.sort()
        return places

    def _frequencies_at(self, places: NDArray[np.integer]) -> Integers:
        return self._frequencies[np.searchsorted(self._first, places) - 1]

    def _id(self, symbol: str) -> int:
        number = self._ids.setdefault(symbol, len(self._symbols))
        if number == len(self._symbols):
            self._symbols.append(symbol)
        if number >> SYMBOL_BITS:
            raise ValueError(
                f"BPE has more than {1 << SYMBOL_BITS:,} symbols, characters in the middle and at"
                " the end of words and merges together: ask for fewer merges"
            )
        return number

    def _number(self, pair: Pair) -> int:
        return self._id(pair[0]) << SYMBOL_BITS | self._id(pair[1])

    def _cells_of(self, words: list[str]) -> Cells:
        text = "\n".join(["", *words, ""]) if words else "\n"
        if len(text) >> PLACE_BITS:
            raise ValueError(
                f"BPE learns from words of {1 << PLACE_BITS:,} characters together, not"
                f" {len(text):,}: learn from a part of the text"
            )
        codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.int32)
        blocks = [slice(start, start + BLOCK) for start in range(0, len(codes), BLOCK)]
        seen = np.zeros(0x110000, dtype=np.bool_)
        for block in blocks:
            seen[codes[block]] = True
        characters = [chr(code) for code in np.flatnonzero(seen) if code != ord("\n")]
        ids = np.full((2, len(seen)), BREAK, dtype=np.int32)
        for character in characters:
            ids[:, ord(character)] = self._id(character), self._id(character + END)
        cells = np.empty(len(codes), dtype=np.int32)
        for block in blocks:
            cells[block] = ids[0][codes[block]]
        last = np.flatnonzero(cells == BREAK)[1:] - 1
        cells[last] = ids[1][codes[last]]
        return cells

    def _list_characters(self) -> tuple[Integers, Integers]:
        """List where each pair of characters is; return the pairs and their counts."""
        cells = self._cells
        # One number for a pair and its place, so that sorting needs no room beside it.
        packed = np.empty(len(cells) + 1 - 2 * np.count_nonzero(cells == BREAK), dtype=np.int64)
        done = 0
        for start in range(0, len(cells) - 1, BLOCK):
            block = cells[start : start + BLOCK + 1].astype(np.int64)
            valid = np.flatnonzero((block[:-1] >= 0) & (block[1:] >= 0))
            pairs = block[valid] << SYMBOL_BITS | block[valid + 1]
            packed[done : done + len(valid)] = pairs << PLACE_BITS | valid + start
            done += len(valid)
        packed.sort()
        places = np.empty(len(packed), dtype=np.int32)
        np.bitwise_and(packed, (1 << PLACE_BITS) - 1, out=places, casting="unsafe")
        packed >>= PLACE_BITS
        starts = run_starts(packed)
        pairs = packed[starts]
        del packed
        bounds = np.append(starts, len(places))
        lefts = pairs >> SYMBOL_BITS
        groups = run_starts(lefts)
        for low, high in pairwise(np.append(groups, len(lefts))):
            rights = (pairs[low:high] & (1 << SYMBOL_BITS) - 1).astype(np.int32)
            after = Neighbours(rights, bounds[low : high + 1], places)
            before = Neighbours(rights[:0], bounds[:1], places)
            self._made[int(lefts[low])].append((before, after))
        sums = [self._frequencies_at(places[a:b]).sum() for a, b in pairwise(bounds)]
        return pairs, np.array(sums, dtype=np.int64)


def _width(symbol: str) -> int:
    return len(symbol) - len(END) if symbol.endswith(END) else len(symbol)


def _every_other(places: Cells, width: int) -> Cells:
    """In x x x x x, the pair x x is merged at the first and the third x."""
    index = np.arange(len(places))
    begins = np.append(True, places[1:] != places[:-1] + width)[: len(places)]
    return places[(index - np.maximum.accumulate(np.where(begins, index, 0))) % 2 == 0]

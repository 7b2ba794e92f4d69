"""Grow parallel text: repeat its pairs with other names, nouns and numbers, so that types grow."""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import chain, cycle

Pair = tuple[str, str]
CHANGED = re.compile(r"(?<= )(?:[A-ZÄÖÜ][a-zäöüß]{3,}|\d+)")
"""Names and numbers inside a sentence, and nouns in German."""
TYPES, PAIRS = 1_500_000, 4_500_000
"""Distinct words of both sides of WMT14 English-German, about, in so many pairs."""
GROWTH = 0.58
"""Power of the number of pairs that types grow with: 52,000 of Europarl and news have 112,000."""
SEED = 1


def new_types(number: int) -> float:
    """Return how many new types the pair of this number brings."""
    return float(GROWTH * TYPES / PAIRS * (number / PAIRS) ** (GROWTH - 1))


class Words:
    """Hold the names and nouns of one side: a frequent one is drawn often."""

    def __init__(self, lines: Sequence[str], draws: random.Random) -> None:
        found = chain.from_iterable(map(CHANGED.findall, lines))
        self.seen = [word for word in found if not word.isdigit()]
        self.draws = draws

    def changed(self, line: str, share_of_new: float) -> str:
        """Return a line with other names, nouns and numbers."""

        def other(found: re.Match[str]) -> str:
            word = found[0]
            if word.isdigit():
                return str(self.draws.randrange(10 ** len(word)))
            drawn = self.draws.choice(self.seen)
            if self.draws.random() < share_of_new:
                drawn = joined(drawn, self.draws.choice(self.seen))
            self.seen.append(drawn)
            return drawn

        return CHANGED.sub(other, line)


def joined(first: str, last: str) -> str:
    """Return a new word: the beginning of one and the end of another."""
    return first[: -(-len(first) // 2)] + last[len(last) // 2 :]


def grown(pairs: Sequence[Pair], count: int) -> Iterator[Pair]:
    """Yield the pairs once as they are, and then changed, until there are `count` of them."""
    yield from pairs[:count]
    draws = random.Random(SEED)
    sides = [Words([pair[side] for pair in pairs], draws) for side in (0, 1)]
    places = sum(len(side.seen) for side in sides) / len(pairs)
    for number, (source, target) in zip(range(len(pairs), count), cycle(pairs)):
        share = min(1.0, new_types(number) / places)
        yield sides[0].changed(source, share), sides[1].changed(target, share)

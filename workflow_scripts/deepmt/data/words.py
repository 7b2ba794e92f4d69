"""Words of a line of tokens, and how often each occurs."""

from collections import Counter
from collections.abc import Iterable


def words(line: str) -> list[str]:
    """Tokens of a line; only the space (U+0020) separates, as in subword-nmt."""
    return [word for word in line.split(" ") if word]


def count_words(lines: Iterable[str]) -> Counter[str]:
    """How often each token occurs."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(words(line))
    return counts

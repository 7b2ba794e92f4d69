"""Shards of monolingual text, and training pairs from their translations.

Line i of the text is line i // n of shard i % n, so that all shards are alike in length and the
text comes back in order, whatever their number.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import TypeVar

Item = TypeVar("Item")
TEXT = "text"
"""The name of a shard's encoded text."""


def shard(lines: Iterable[Item], number: int, shards: int) -> Iterator[Item]:
    """The lines of one shard."""
    return islice(lines, number, None, shards)


def joined(shards: Sequence[Iterator[Item]]) -> Iterator[Item]:
    """The lines of all shards in the order of the text.

    Raises:
        ValueError: a shard is shorter or longer than its lines of the text.
    """
    for number in count():
        try:
            item = next(shards[number % len(shards)])
        except StopIteration:
            break
        yield item
    rest = [n for n, lines in enumerate(shards) if next(lines, None) is not None]
    if rest:
        raise ValueError(
            f"the shards {rest} go on where shard {number % len(shards)} has ended:"
            " they are not of one text; delete them and run again"
        )


@dataclass(frozen=True, kw_only=True)
class Translated:
    """A line of monolingual text, its translation, and the subwords of both."""

    source: str
    target: str
    source_tokens: int
    target_tokens: int


@dataclass(kw_only=True)
class Filter:
    """Decides which translated lines become pairs, and counts the others by reason.

    The limits are fairseq's for back-translation: so many subwords at most, and one side no more
    than `max_ratio` times the other; 0 is no limit. A translation that equals its text teaches
    copying and is dropped too.
    """

    max_tokens: int
    max_ratio: float
    counts: Counter[str] = field(default_factory=Counter)

    def keep(self, pair: Translated) -> bool:
        """Whether this becomes a training pair."""
        reason = self._reason(pair)
        self.counts[reason or "kept"] += 1
        return reason is None

    @property
    def dropped(self) -> dict[str, int]:
        """Lines without a pair, by reason."""
        return {reason: number for reason, number in self.counts.items() if reason != "kept"}

    def _reason(self, pair: Translated) -> str | None:
        shorter, longer = sorted((pair.source_tokens, pair.target_tokens))
        if shorter == 0 or not pair.source.strip() or not pair.target.strip():
            return "empty"
        if self.max_tokens and longer > self.max_tokens:
            return "too_long"
        if self.max_ratio and longer / shorter > self.max_ratio:
            return "ratio"
        return "copied" if pair.source == pair.target else None

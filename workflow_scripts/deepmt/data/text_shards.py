"""Split monolingual text into shards, and join them again.

Line i of the text is line i // n of shard i % n, so that shards have similar lengths and the text
comes back in order for any number of shards.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, islice
from typing import TypeVar

Item = TypeVar("Item")
TEXT = "text"
"""The name of a shard's encoded text."""


def shard(lines: Iterable[Item], number: int, shards: int) -> Iterator[Item]:
    """Yield the lines of one shard."""
    return islice(lines, number, None, shards)


def joined(shards: Sequence[Iterator[Item]]) -> Iterator[Item]:
    """Yield the lines of all shards in the order of the text.

    Raises ValueError if a shard is shorter or longer than its lines of the text.
    """
    for number in cycle(range(len(shards))):
        if (item := next(shards[number], None)) is None:
            break
        yield item
    rest = [n for n, lines in enumerate(shards) if next(lines, None) is not None]
    if rest:
        raise ValueError(
            f"shards {rest} are longer than shard {number} allows:"
            " they come from different texts; delete them and run again"
        )

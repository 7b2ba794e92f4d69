"""Read text of one language: each distinct line once, or a random sample of them."""

from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import chain, compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deepmt.base.errors import UserError
from deepmt.data.members import read_member

HASH_BYTES = 8
KEY = b"1"
"""Another key draws other samples."""


def read_texts(paths: tuple[Path, ...]) -> Iterator[str]:
    """Yield the lines of all files, plain or .gz, one after the other."""
    return chain.from_iterable(map(read_member, paths))


def distinct(lines: Callable[[], Iterator[str]], count: int | None) -> Iterator[str]:
    """Yield the first of equal lines, but no empty ones; with `count`, a random sample of these.

    `lines` is called twice. The sample has the lowest hashes, and so does not depend on the
    order of the lines. Memory is about 40 bytes a line, whatever its length.

    Raises ValueError if there are fewer than `count`.
    """
    yield from compress(lines(), _chosen(lines(), count))


def _chosen(lines: Iterator[str], count: int | None) -> NDArray[np.bool_]:
    """Return for each line whether to take it."""
    empty = _hash("")
    hashes = np.fromiter((_hash(line.strip()) for line in lines), dtype=np.uint64)
    values, first = np.unique(hashes, return_index=True)
    first = first[values != empty]
    if count is not None and len(first) < count:
        raise UserError(
            f"{count:,} distinct lines are requested, but there are only {len(first):,};"
            " lower `lines` in corpora.yaml or name more archives"
        )
    chosen = np.zeros(len(hashes), bool)
    chosen[first[:count]] = True
    return chosen


def _hash(line: str) -> int:
    digest = blake2b(line.encode(), digest_size=HASH_BYTES, key=KEY).digest()
    return int.from_bytes(digest, "little")

"""Read token ids from disk: one flat array for each side of a split, and sentence offsets.

`{split}.{language}.ids.npy` holds the ids of all sentences one after the other (uint16 if the
vocabulary fits, else uint32), without EOS, which batches add. `{split}.{language}.offsets.npy`
(int64) has one entry more than there are sentences; sentence i is ids[offsets[i]:offsets[i + 1]].
Both are opened as memory maps.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class EncodedText:
    """Hold one side of a split: `text[i]` is a view of the ids of sentence i, without EOS."""

    offsets: NDArray[np.int64]
    ids: NDArray[np.unsignedinteger]

    @classmethod
    def open(cls, offsets: Path, ids: Path) -> "EncodedText":
        """Open its files."""
        return cls(_open(offsets), _open(ids))

    @classmethod
    def of(cls, sentences: Iterable[Sequence[int]]) -> "EncodedText":
        """Return a text in memory."""
        rows = [np.array(ids, np.uint32) for ids in sentences]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return cls(offsets, np.concatenate([np.array([], np.uint32), *rows]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> NDArray[np.unsignedinteger]:
        if not -len(self) <= i < len(self):
            raise IndexError(f"sentence {i} of {len(self)}")
        i %= len(self)
        return self.ids[self.offsets[i] : self.offsets[i + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Return the number of tokens of each sentence, without EOS."""
        return np.diff(self.offsets)


@dataclass(frozen=True, eq=False)
class EncodedPair:
    """Hold both sides of a split, of equal length."""

    source: EncodedText
    target: EncodedText

    def __len__(self) -> int:
        return len(self.source)


def array_files(folder: Path, name: str) -> tuple[Path, Path]:
    """Return the files of the offsets and ids of one side of a split."""
    return folder / f"{name}.offsets.npy", folder / f"{name}.ids.npy"


def _open(path: Path) -> NDArray[Any]:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        return np.load(path, allow_pickle=False)  # an empty array cannot be mapped

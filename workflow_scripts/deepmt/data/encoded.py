"""Read token ids from disk: one flat array for each side of a split, and sentence offsets.

`{split}.{language}.ids.npy` holds the ids of all sentences one after the other (uint16 if the
vocabulary fits, else uint32), without EOS, which batches add. `{split}.{language}.offsets.npy`
(int64) has one entry more than there are sentences; sentence i is ids[offsets[i]:offsets[i + 1]].
Both are opened as memory maps.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class EncodedText:
    """Open one side of a split: `text[i]` is a view of the ids of sentence i, without EOS.

    Raises ValueError if the two files do not belong together.
    """

    def __init__(self, folder: Path, split: str, language: str) -> None:
        path = folder / f"{split}.{language}.ids.npy"
        self.offsets: NDArray[np.int64] = _open(folder / f"{split}.{language}.offsets.npy")
        self.ids: NDArray[np.unsignedinteger] = _open(path)
        if len(self.offsets) < 1 or self.offsets[0] != 0 or self.offsets[-1] != len(self.ids):
            raise ValueError(
                f"{path} has {len(self.ids):,} ids, but its offsets do not end there;"
                " encode the corpus again"
            )

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


class EncodedPair:
    """Open both sides of a split; raise ValueError if they differ in length."""

    def __init__(self, folder: Path, split: str, source: str, target: str) -> None:
        self.source = EncodedText(folder, split, source)
        self.target = EncodedText(folder, split, target)
        if len(self.source) != len(self.target):
            raise ValueError(
                f"{folder}/{split}: {len(self.source):,} sentences in {source},"
                f" {len(self.target):,} in {target}; encode the corpus again"
            )

    def __len__(self) -> int:
        return len(self.source)


def _open(path: Path) -> NDArray[Any]:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        if path.stat().st_size and "empty" in str(error):  # an empty file cannot be mapped
            return np.load(path, allow_pickle=False)
        raise ValueError(f"{path} is damaged ({error}); encode the corpus again") from error

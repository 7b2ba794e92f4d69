"""Read token ids from disk: one flat array for each side of a split, and sentence offsets.

`{split}.{language}.ids.npy` holds the ids of all sentences one after the other (uint16 if the
vocabulary fits, else uint32), without EOS, which batches add. `{split}.{language}.offsets.npy`
(int64) has one entry more than there are sentences; sentence i is ids[offsets[i]:offsets[i + 1]].
Both are opened as memory maps, after comparing them with their hashes in the manifest beside ids/.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepmt.base.errors import UserError
from deepmt.base.files import check_hashes
from deepmt.data.manifest import Manifest
from deepmt.settings.strict import unknown


@dataclass(frozen=True, eq=False)
class EncodedText:
    """Hold one side of a split: `text[i]` is a view of the ids of sentence i, without EOS."""

    offsets: NDArray[np.int64]
    ids: NDArray[np.unsignedinteger]

    @classmethod
    def open(cls, folder: Path, split: str, language: str) -> "EncodedText":
        """Open its files; raise ValueError if one is damaged or belongs to another encoding."""
        offsets, ids = array_files(folder, f"{split}.{language}")
        _check(folder.parent, offsets, ids)
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


class EncodedPair:
    """Open both sides of a split; raise ValueError if they differ in length."""

    def __init__(self, folder: Path, split: str, source: str, target: str) -> None:
        self.source = EncodedText.open(folder, split, source)
        self.target = EncodedText.open(folder, split, target)
        if len(self.source) != len(self.target):
            raise UserError(
                f"{folder}/{split}: {len(self.source):,} sentences in {source},"
                f" {len(self.target):,} in {target}; encode the corpus again"
            )

    def __len__(self) -> int:
        return len(self.source)


def array_files(folder: Path, name: str) -> tuple[Path, Path]:
    """Return the files of the offsets and ids of one side of a split."""
    return folder / f"{name}.offsets.npy", folder / f"{name}.ids.npy"


def _check(dataset: Path, *files: Path) -> None:
    """Compare files with their hashes in the manifest."""
    remedy = f"delete {dataset} and run again, which encodes the text"
    known = Manifest.read(dataset / "manifest.json", remedy).sha256
    splits = {Path(name).name.partition(".")[0] for name in known if name.startswith("ids/")}
    if (split := files[0].name.partition(".")[0]) not in splits:
        raise UserError(f"{dataset}: {unknown('split', split, splits)}")
    names = [str(file.relative_to(dataset)) for file in files]
    check_hashes(dataset, {name: known.get(name) for name in names}, remedy)


def _open(path: Path) -> NDArray[Any]:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        return np.load(path, allow_pickle=False)  # an empty array cannot be mapped

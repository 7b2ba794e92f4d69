"""Token ids on disk: one flat array for each side of a set, and where each sentence starts.

`{set}.{language}.ids.npy` holds the ids of all sentences one after the other (uint16 if the
vocabulary fits, else uint32), without EOS: batches add it where a side needs it.
`{set}.{language}.offsets.npy` (int64) has one entry more than there are sentences; sentence i is
ids[offsets[i]:offsets[i + 1]]. Both are opened as memory maps.
"""

from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from deepmt.data.lines import replacing, words
from deepmt.data.shards import Shard, in_order, shards
from deepmt.data.vocabulary import UNK, Vocabulary


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What one side of a set holds."""

    sentences: int
    tokens: int
    unknown: int


def write_encoded(
    text: Path, vocabulary: Vocabulary, folder: Path, name: str, processes: int = 1
) -> Counts:
    """Encode a file of segmented lines as `{name}.ids.npy` and `{name}.offsets.npy`.

    Streams, so that memory does not grow with the text but for 8 bytes a sentence.
    """
    lengths = array("q", [0])
    kind = np.dtype(np.uint16 if len(vocabulary) <= 1 << 16 else np.uint32)
    unknown = 0
    with replacing(folder / f"{name}.ids.npy", "wb") as stream:
        _write_header(stream, kind, 0)
        for ids, of_shard in in_order(_EncodeShard(vocabulary, kind), shards(text), processes):
            unknown += int(np.count_nonzero(ids == UNK))
            stream.write(ids)
            lengths.frombytes(of_shard)
        offsets = np.frombuffer(lengths, dtype=np.int64)
        np.cumsum(offsets, out=offsets)
        stream.seek(0)
        _write_header(stream, kind, int(offsets[-1]))
    with replacing(folder / f"{name}.offsets.npy", "wb") as stream:
        np.save(stream, offsets)
    return Counts(sentences=len(offsets) - 1, tokens=int(offsets[-1]), unknown=unknown)


def _write_header(stream: IO[bytes], kind: "np.dtype[Any]", tokens: int) -> None:
    # numpy leaves room in a header for the number to grow, so that its length is always the same.
    header = {"descr": kind.str, "fortran_order": False, "shape": (tokens,)}
    np.lib.format.write_array_header_1_0(stream, header)


@dataclass(frozen=True)
class _EncodeShard:
    vocabulary: Vocabulary
    kind: "np.dtype[Any]"

    def __call__(self, shard: Shard) -> tuple[NDArray[np.unsignedinteger], bytes]:
        ids, lengths = array("I"), array("q")
        for line in shard.lines():
            of_line = self.vocabulary.encode(words(line))
            ids.extend(of_line)
            lengths.append(len(of_line))
        return np.array(ids, dtype=self.kind), lengths.tobytes()


class EncodedText:
    """One side of a set: `text[i]` is a view of the ids of sentence i, without EOS.

    Raises ValueError if the two files do not belong together.
    """

    def __init__(self, folder: Path, set_name: str, language: str) -> None:
        path = folder / f"{set_name}.{language}.ids.npy"
        self.offsets: NDArray[np.int64] = _open(folder / f"{set_name}.{language}.offsets.npy")
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
        """Number of tokens of each sentence, without EOS."""
        return np.diff(self.offsets)


class EncodedPair:
    """Both sides of a set; raises ValueError if they differ in length."""

    def __init__(self, folder: Path, set_name: str, source: str, target: str) -> None:
        self.source = EncodedText(folder, set_name, source)
        self.target = EncodedText(folder, set_name, target)
        if len(self.source) != len(self.target):
            raise ValueError(
                f"{folder}/{set_name}: {len(self.source):,} sentences in {source},"
                f" {len(self.target):,} in {target}; encode the corpus again"
            )

    def __len__(self) -> int:
        return len(self.source)


def _open(path: Path) -> NDArray[Any]:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        if path.stat().st_size and "empty" in str(error):  # a map of no bytes is not possible
            return np.load(path, allow_pickle=False)
        raise ValueError(f"{path} is damaged ({error}); encode the corpus again") from error

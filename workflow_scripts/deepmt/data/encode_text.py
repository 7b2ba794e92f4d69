"""Encode subwords as token ids on disk, count them, and describe them in a manifest."""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from deepmt.base.errors import UserError
from deepmt.base.files import hashes_of
from deepmt.data.encoded import array_files
from deepmt.data.line_batches import in_batches
from deepmt.data.lines import read_lines, replacing, split_names, words
from deepmt.data.manifest import Manifest, SplitSizes
from deepmt.data.subword import codes_of
from deepmt.data.vocabulary import UNK, Vocabulary
from deepmt.settings.corpora import Corpus
from deepmt.settings.spec import Data

TOOLS = ("sacremoses", "jieba", "subword-nmt", "sentencepiece", "numpy")
HASHED = ("codes.*", "pieces.*", "vocab.*", "ids/*.npy")
TEXTS = ("data.json", "words.json", "tok/*.*", "raw/*.*")


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Hold the size of one side of a split."""

    sentences: int
    tokens: int
    unknown: int


def write_encoded(
    lines: Iterable[str], vocabulary: Vocabulary, folder: Path, name: str, processes: int = 1
) -> Counts:
    """Encode segmented lines as `{name}.ids.npy` and `{name}.offsets.npy`.

    Streams the text, so that memory grows only by 8 bytes a sentence.
    """
    lengths = array("q", [0])
    dtype = np.dtype(np.uint16 if len(vocabulary) <= 1 << 16 else np.uint32)
    unknown = 0
    work = partial(_encode, vocabulary, dtype)
    offsets_file, ids_file = array_files(folder, name)
    with replacing(ids_file, "wb") as stream:
        _write_header(stream, dtype, 0)
        for ids, batch_lengths in in_batches(work, lines, processes, folder / name):
            unknown += int(np.count_nonzero(ids == UNK))
            stream.write(ids)
            lengths.extend(batch_lengths)
        offsets = np.frombuffer(lengths, dtype=np.int64)
        np.cumsum(offsets, out=offsets)
        stream.seek(0)
        _write_header(stream, dtype, int(offsets[-1]))
    with replacing(offsets_file, "wb") as stream:
        np.save(stream, offsets)
    return Counts(sentences=len(offsets) - 1, tokens=int(offsets[-1]), unknown=unknown)


def _write_header(stream: IO[bytes], dtype: "np.dtype[Any]", tokens: int) -> None:
    # numpy leaves room in a header for the number to grow, so that its length never changes.
    header = {"descr": dtype.str, "fortran_order": False, "shape": (tokens,)}
    np.lib.format.write_array_header_1_0(stream, header)


def _encode(
    vocabulary: Vocabulary, dtype: "np.dtype[Any]", lines: list[str]
) -> tuple[NDArray[np.unsignedinteger], list[int]]:
    encoded = [vocabulary.encode(words(line)) for line in lines]
    ids = np.fromiter(chain.from_iterable(encoded), dtype=dtype)
    return ids, list(map(len, encoded))


def describe(
    corpus: Corpus,
    settings: Data,
    folder: Path,
    counts: Mapping[str, Mapping[str, Counts]],
    vocabularies: Mapping[str, Vocabulary],
) -> Manifest:
    """Describe an encoded corpus; `counts` is keyed by split and language.

    Raises ValueError if the sides of a split differ.
    """
    return Manifest(
        title=corpus.title,
        note=corpus.note,
        licence=corpus.licence,
        citation=corpus.citation,
        settings=settings.section,
        vocabulary={language: len(tokens) for language, tokens in vocabularies.items()},
        splits={name: _sizes(name, *sides.items()) for name, sides in counts.items()},
        sha256=hashes_of(folder, *HASHED),
        text_sha256=hashes_of(folder, *TEXTS),
        tools={tool: version(tool) for tool in TOOLS},
    )


def _sizes(name: str, *sides: tuple[str, Counts]) -> SplitSizes:
    source, target = (counts.sentences for _, counts in sides)
    if source != target:
        raise UserError(f"{name} has {source:,} source and {target:,} target sentences")
    return SplitSizes(
        sentences=source,
        tokens={language: counts.tokens for language, counts in sides},
        unknown={language: counts.unknown for language, counts in sides},
    )


def words_by_split(folder: Path, settings: Data, processes: int = 1) -> dict[str, dict[str, int]]:
    """Count words (tokens before subwords, after cleaning) by split and language."""
    found: dict[str, dict[str, int]] = {}
    for language in settings.languages:
        for name in split_names(folder / "tok", language):
            path = folder / "tok" / f"{name}.{language}"
            counts = in_batches(_count, read_lines(path), processes, path)
            found.setdefault(name, {})[language] = sum(counts)
    return found


def _count(lines: list[str]) -> int:
    return sum(len(words(line)) for line in lines)


def learned_merges(folder: Path, settings: Data) -> dict[str, int]:
    """Count BPE merges by language, which may be fewer than requested; none without BPE."""
    if settings.subword != "bpe":
        return {}
    files = {language: folder / codes_of(settings, language) for language in settings.languages}
    # The first line names the version.
    return {language: sum(1 for _ in read_lines(path)) - 1 for language, path in files.items()}

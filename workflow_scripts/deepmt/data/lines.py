"""Read and write corpus text as lines: UTF-8, and only "\\n" ends a line."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any
from unicodedata import normalize

from deepmt.base import files
from deepmt.base.errors import UserError

BYTE_ORDER_MARK = "\ufeff"
CONTROL = re.compile("[\x01-\x1f\x7f-\x9f]")
LONGEST = 1 << 24
"""Bytes of the longest line that is read."""
NamedPairs = Iterable[tuple[str, tuple[str, str]]]
"""Pairs of lines, each with the split that it belongs to."""


def decode_lines(stream: IO[bytes], name: str) -> Iterator[str]:
    """Yield the lines of a binary stream without their line ends; messages call it `name`.

    A byte order mark at the start and a carriage return at the end of a line are removed; a
    carriage return inside a line becomes a space; U+2028 and the like are ordinary characters.

    Raises ValueError for bytes that are not UTF-8, for NUL bytes, and for a line without end, which
    a small archive may hold.
    """
    for number, raw in enumerate(iter(lambda: stream.readline(LONGEST + 1), b""), 1):
        if len(raw.removesuffix(b"\n")) > LONGEST:
            raise UserError(f"{name}, line {number}: has more than {LONGEST:,} bytes; break it")
        try:
            line = raw.removesuffix(b"\n").decode("utf-8")
        except UnicodeDecodeError as error:
            raise UserError(
                f"{name}, line {number}, byte {error.start + 1}: 0x{raw[error.start]:02x} is not"
                f" UTF-8 ({error.reason}); convert the file to UTF-8 or fix the line"
            ) from error
        if "\0" in line:
            byte = raw.index(0) + 1
            raise UserError(
                f"{name}, line {number}, byte {byte}: a NUL byte is not text; remove it"
            )
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        yield line.rstrip("\r").replace("\r", " ") if "\r" in line else line


def words(line: str) -> list[str]:
    """Return the tokens of a line; only the space (U+0020) separates, as in subword-nmt."""
    found = line.split(" ")
    return [word for word in found if word] if "" in found else found


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a plain file, under the rules of `decode_lines`."""
    with path.open("rb") as stream:
        yield from decode_lines(stream, str(path))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a file that appears under its name only when it is complete."""
    with replacing(path) as stream:
        stream.writelines(f"{line}\n" for line in lines)


def pair_lines(
    sides: Iterable[Iterator[str]], names: Iterable[object]
) -> Iterator[tuple[str, str]]:
    """Yield the lines of both sides, which messages call by these names, together.

    Raises ValueError, naming both counts, if one side is longer.
    """
    pairs = zip_longest(*sides)
    for number, (source_line, target_line) in enumerate(pairs, 1):
        if source_line is None or target_line is None:
            shorter, longer = number - 1, number + sum(1 for _ in pairs)
            left, right = (shorter, longer) if source_line is None else (longer, shorter)
            source_name, target_name = names
            raise UserError(
                f"the two sides differ in length: {source_name} has {left:,} lines, {target_name}"
                f" has {right:,}; line n of one must translate line n of the other"
            )
        yield source_line, target_line


def pair_files(source: Path, target: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines of two files together, as `pair_lines` does."""
    return pair_lines([read_lines(source), read_lines(target)], [source, target])


def write_splits(
    pairs: NamedPairs, splits: Iterable[str], languages: Sequence[str], folder: Path
) -> dict[str, int]:
    """Write both sides of pairs to `{split}.{language}`; return the number of pairs by split.

    The files appear under their names only when all of them are complete.
    """
    counts = dict.fromkeys(splits, 0)
    with ExitStack() as stack:
        streams = {
            name: [stack.enter_context(replacing(folder / f"{name}.{x}")) for x in languages]
            for name in counts
        }
        for name, pair in pairs:
            counts[name] += 1
            for stream, line in zip(streams[name], pair, strict=True):
                stream.write(f"{line}\n")
    return counts


@contextmanager
def replacing(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file that appears under its name only when it is complete."""
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    # The stream is closed before the file takes its place.
    with files.replacing(path) as new, open(new, mode, **text) as stream:  # type: ignore[call-overload]
        yield stream


def split_names(folder: Path, language: str) -> list[str]:
    """Return the names of the splits in a folder of `{split}.{language}` files.

    Raises ValueError if there is no train split.
    """
    names = [path.stem for path in files.visible(folder, f"*.{language}")]
    if "train" not in names:
        raise UserError(f"{folder} has no file train.{language}; run the stage before this one")
    return names


def clean_line(line: str) -> str:
    """Return a line in Unicode's composed form, NFC, with single spaces as white space.

    Control characters become spaces.
    """
    return " ".join(normalize("NFC", CONTROL.sub(" ", line)).split())

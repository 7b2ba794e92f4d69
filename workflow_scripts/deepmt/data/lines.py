"""Corpus text as lines: UTF-8, and only "\\n" ends a line."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn

from deepmt import files

BYTE_ORDER_MARK = "\ufeff"


def decode_lines(stream: IO[bytes], name: str, *, first: int = 1) -> Iterator[str]:
    """Lines of a binary stream without their line ends; messages use `name` and count from `first`.

    A byte order mark at the start and a carriage return at the end of a line are removed, one
    inside a line becomes a space; U+2028 and its like are ordinary characters.

    Raises ValueError for bytes that are not UTF-8 and for NUL bytes.
    """
    for number, raw in enumerate(stream, first):
        line = _decode(raw.removesuffix(b"\n"), f"{name}, line {number}")
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        yield line.rstrip("\r").replace("\r", " ") if "\r" in line else line


def _decode(raw: bytes, where: str) -> str:
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{where}, byte {error.start + 1}: 0x{raw[error.start]:02x} is not UTF-8"
            f" ({error.reason}); convert the file to UTF-8 or mend the line"
        ) from error
    if "\0" in line:
        raise ValueError(f"{where}, byte {raw.index(0) + 1}: a NUL byte is not text; remove it")
    return line


def plain_lines(content: bytes) -> list[str]:
    """All lines at once, if `decode_lines` would neither change nor refuse one; else none."""
    if any(mark in content for mark in (b"\0", b"\r", BYTE_ORDER_MARK.encode())):
        return []
    try:
        return content.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        return []


def words(line: str) -> list[str]:
    """Return the tokens of a line; only the space (U+0020) separates, as in subword-nmt."""
    return [word for word in line.split(" ") if word]


def read_lines(path: Path) -> Iterator[str]:
    """Lines of a plain file, under the rules of `decode_lines`."""
    with path.open("rb") as stream:
        yield from decode_lines(stream, str(path))


def pair_lines(
    source: Iterator[str], target: Iterator[str], *, source_name: str, target_name: str
) -> Iterator[tuple[str, str]]:
    """Walk both sides together.

    Raises ValueError, naming both counts, if one side is longer.
    """
    count = 0
    for source_line in source:
        target_line = next(target, None)
        if target_line is None:
            refuse_lengths(source_name, count + 1 + _rest(source), target_name, count)
        yield source_line, target_line
        count += 1
    if extra := _rest(target):
        refuse_lengths(source_name, count, target_name, count + extra)


def _rest(lines: Iterator[str]) -> int:
    return sum(1 for _ in lines)


def refuse_lengths(source_name: str, source: int, target_name: str, target: int) -> NoReturn:
    """Raise ValueError for sides of so many lines."""
    raise ValueError(
        f"the two sides differ in length: {source_name} has {source:,} lines,"
        f" {target_name} has {target:,}; line n of one must translate line n of the other"
    )


@contextmanager
def replacing(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file that appears under its name only when it is complete."""
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    # The stream is closed before the file takes its place.
    with files.replacing(path) as new, open(new, mode, **text) as stream:  # type: ignore[call-overload]
        yield stream


def set_names(folder: Path, language: str) -> list[str]:
    """Names of the sets in a folder of `{set}.{language}` files.

    Raises ValueError if there is no train set among them.
    """
    names = sorted(
        path.stem for path in folder.glob(f"*.{language}") if not path.name.startswith(".")
    )
    if "train" not in names:
        raise ValueError(f"{folder} has no file train.{language}; run the stage before this one")
    return names

"""Translate a stream of lines, block by block, and say how many are done and what is lost."""

from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, TextIO

from deepmt.base.printable import say
from deepmt.data.lines import decode_lines
from deepmt.decode.sentence_translator import SentenceTranslator, SourceLine

LISTED = 10
"""Numbers of lines that are listed."""
BLOCK = 1000
"""Lines of a file that are translated together; those of a terminal are translated one by one."""


def translate_lines(translator: SentenceTranslator, source: TextIO, output: BinaryIO) -> None:
    """Write the translations of lines in UTF-8, n_best of each.

    Raises:
        ValueError: a line is not UTF-8; those before it are translated.
    """
    number = 0
    lines = decode_lines(source.buffer, "standard input")
    for block in blocks(lines, 1 if source.isatty() else BLOCK):
        read = [translator.read(line) for line in block]
        if losses := lost(read, number + 1):
            say(losses)
        for found in translator.translate(read):
            for line in shown(found, number, translator.n_best):
                output.write(f"{line}\n".encode())
            number += 1
        output.flush()
        if len(read) == BLOCK:
            say(f"{number:,} lines are translated")


def blocks(lines: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield lines in blocks; those before a faulty line come before its error."""
    block = []
    try:
        for line in lines:
            block.append(line)
            if len(block) == size:
                yield block
                block = []
    except ValueError:
        yield block
        raise
    yield block


def shown(found: Sequence[tuple[str, float]], number: int, n_best: int) -> Iterator[str]:
    """Yield the lines that show the translations of a line; an empty one has an empty one."""
    for text, score in found or [("", 0.0)]:
        yield text if n_best == 1 else f"{number} ||| {text} ||| {score:.4f}"


def lost(lines: Sequence[SourceLine], first: int) -> str:
    """Return what the model does not read of the lines, or an empty string."""
    cut = [number for number, line in enumerate(lines, first) if line.cut]
    strange = {number: line.unknown for number, line in enumerate(lines, first) if line.unknown}
    parts = []
    if cut:
        longest = len(lines[cut[0] - first].ids)
        parts.append(f"{len(cut):,} longer than {longest} subwords, and cut ({listed(cut)})")
    if strange:
        total = sum(strange.values())
        parts.append(f"{len(strange):,} with {total:,} unknown subwords ({listed([*strange])})")
    last = first + len(lines) - 1
    return f"of lines {first:,} to {last:,}: {'; '.join(parts)}" if parts else ""


def listed(numbers: Sequence[int]) -> str:
    """Return the numbers of lines, but not too many."""
    more = ", ..." if len(numbers) > LISTED else ""
    return f"line {', '.join(map(str, numbers[:LISTED]))}{more}"

"""Find the two sides of a text in a tab-separated file."""

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from deepmt.data.members import read_member
from deepmt.languages import language

LOOKED_AT = 1000
"""First lines, by which the columns are known."""
NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+(e[-+]?[0-9]+)?%?|")
"""A score, a line number, or nothing."""


def columns_of(file: Path, languages: Sequence[str]) -> tuple[tuple[int, int], bool]:
    """Return the columns of source and target, and whether the first line names them.

    They are those that a first line names by language, or else the only two that do not hold
    numbers.

    Raises:
        ValueError: there are fewer or more columns of text, or the text is in quotes.
    """
    lines = [line.split("\t") for line in islice(read_member(file), LOOKED_AT)]
    named = [_code(cell) for cell in lines[0]] if lines else []
    if {*languages} <= {*named}:
        source, target = map(named.index, languages)
        return (source, target), True
    width = max(map(len, lines), default=0)
    cells = [[line[place] for line in lines if place < len(line)] for place in range(width)]
    text = [place for place in range(width) if _share(NUMBER, cells[place]) < 0.5]
    if len(text) != 2:
        raise ValueError(
            f"{file}: has {len(text)} columns of text, and needs two: source, tab, target; or name"
            f" the columns in the first line, as in {'<tab>'.join(languages)}"
        )
    quoted = re.compile('".*"')
    if all(_share(quoted, cells[place]) > 0.5 for place in text):
        raise ValueError(f"{file}: has quotes around every text, as CSV has: write plain text")
    return (text[0], text[1]), False


def _code(cell: str) -> str:
    """Return the language that a cell of a first line names, if it is a code."""
    word = cell.strip().lower()
    return language(word).code if re.fullmatch("[a-z]{3}", word) else word


def _share(pattern: re.Pattern[str], cells: Sequence[str]) -> float:
    return sum(bool(pattern.fullmatch(cell.strip())) for cell in cells) / max(1, len(cells))

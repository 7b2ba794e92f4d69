"""Read the two sides of a text from the columns of a file: tab-separated, or CSV."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from deepmt.base.errors import UserError
from deepmt.base.languages import TWO_LETTERS, language, named_language
from deepmt.data.lines import LONGEST
from deepmt.data.members import read_member
from wings.text.text_forms import REMEDY, ending

LOOKED_AT = 1000
"""First lines, by which the columns are known."""
NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+(e[-+]?[0-9]+)?%?|")
"""A score, a line number, or nothing."""
QUOTED = re.compile('".*"')
DELIMITERS = ",;\t|"
ROLES = (
    {"source", "src", "source text", "source sentence", "original"},
    {"target", "tgt", "trg", "target text", "target sentence", "translation"},
)
"""Names of columns that say which side they are."""
OTHER = set("id line number score text sentence segment domain url label split".split())
"""Names of other columns."""

Row = tuple[int, list[str]]
"""Number of the line that it ends in, and its cells."""


def column_pairs(file: Path, languages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of two columns.

    Raises:
        ValueError: as `columns_of` does, or a line has more or fewer columns than most.
    """
    (source, target), named = columns_of(file, languages)
    for cells in islice(_rows(file), int(named), None):
        yield (cells[source], cells[target]) if any(map(str.strip, cells)) else ("", "")


def columns_of(file: Path, languages: Sequence[str]) -> tuple[tuple[int, int], bool]:
    """Return the columns of source and target, and whether the first line names them.

    They are those that a first line names by language or as source and target, or else the only
    two that do not hold numbers.

    Raises:
        ValueError: the first line names other columns, there are fewer or more columns of text, or
            the text is in quotes.
    """
    rows = list(islice(_rows(file), LOOKED_AT))
    if rows and (found := _named(rows[0], languages)):
        return found, True
    if rows and (_names_columns(rows[0], languages) or _stands_apart(rows)):
        raise UserError(
            f"{file}: its first line names the columns {', '.join(map(str.strip, rows[0]))}, and"
            f" direction={'-'.join(languages)} needs one of {languages[0]} and one of"
            f" {languages[1]}: correct it, or write such a line above it if it is a pair"
        )
    width = max(map(len, rows), default=0)
    cells = [[row[place] for row in rows if place < len(row)] for place in range(width)]
    text = [place for place in range(width) if _share(NUMBER, cells[place]) < 0.5]
    if len(text) != 2:
        raise UserError(
            f"{file}: has {len(text)} columns of text, and needs two: source, tab, target (or"
            " commas, in a file named .csv); or name the columns in the first line, as in"
            f" {'<tab>'.join(languages)}"
        )
    if all(_share(QUOTED, cells[place]) > 0.5 for place in text):
        raise UserError(
            f"{file}: has quotes around every text, as CSV has: name it .csv, or write plain text"
        )
    return (text[0], text[1]), False


def _named(cells: Sequence[str], languages: Sequence[str]) -> tuple[int, int] | None:
    """Return the columns that a first line names as the two languages, or as source and target."""
    codes = list(map(named_language, cells))
    words = [" ".join(re.findall(r"[^\W_]+", cell.lower())) for cell in cells]
    by_language = [
        [n for n, code in enumerate(codes) if code == language(x).code] for x in languages
    ]
    by_role = [[n for n, word in enumerate(words) if word in role] for role in ROLES]
    for sides in by_language, by_role:
        if [len(places) for places in sides] == [1, 1]:
            return sides[0][0], sides[1][0]
    return None


def _names_columns(cells: Sequence[str], languages: Sequence[str]) -> bool:
    """Check if a first line names columns: by languages, or by nothing but names of columns."""
    words = {cell.strip().lower() for cell in cells} - {""}
    other = OTHER.union(*ROLES)
    found = {named_language(word) for word in words - other} & {*TWO_LETTERS.values()}
    asked = {language(code).code for code in languages}
    alone = all(re.fullmatch(r"[\w .-]{1,30}", word) for word in words)
    return alone and (len(found) > 1 or bool(found & asked) or (bool(words) and words <= other))


def _stands_apart(rows: Sequence[Sequence[str]]) -> bool:
    """Check if the first of many lines has a word in each column, as hardly any other has."""
    short = [all(len(cell.split()) == 1 for cell in row) for row in rows]
    return short[0] and sum(short) < len(rows) / 100


def _rows(file: Path) -> Iterator[list[str]]:
    """Yield the cells of each line.

    Raises:
        ValueError: a line has other columns than most of the first, as a tab in a text makes.
    """
    widths = Counter(len(cells) for _, cells in islice(_cells(file), LOOKED_AT) if any(cells))
    [(needed, _)] = widths.most_common(1) or [(0, 0)]
    for number, cells in _cells(file):
        if any(map(str.strip, cells)) and len(cells) != needed:
            raise UserError(
                f"{file}, line {number}: has {len(cells)} columns, and needs {needed}: each line"
                " must be the source, a tab and the target, and no text may have a tab (in CSV, a"
                " comma without quotes)"
            )
        yield cells


def _cells(file: Path) -> Iterator[Row]:
    """Yield the cells of each line as they are; a text of CSV in quotes may span several."""
    if ending(file) == ".csv":
        beginning = list(islice(_lines(file), LOOKED_AT))
        yield from _csv_rows(file, _lines(file), _delimiter(beginning))
    else:
        yield from ((n, line.split("\t")) for n, line in enumerate(_lines(file), 1))


def _lines(file: Path) -> Iterator[str]:
    return read_member(file, remedy=REMEDY)


def _csv_rows(file: Path, lines: Iterable[str], delimiter: str) -> Iterator[Row]:
    reader = _reader(lines, delimiter, strict=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise UserError(
            f"{file}, line {reader.line_num}: is not CSV ({error}): a text with quotes in it must"
            " be in quotes itself, and its own be doubled"
        ) from error


def _reader(lines: Iterable[str], delimiter: str, *, strict: bool) -> Any:
    csv.field_size_limit(LONGEST)
    return csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=strict)


def _delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter by which most lines have the same number of columns, at least two."""

    def regular(delimiter: str) -> int:
        rows = _reader(lines, delimiter, strict=False)
        widths = Counter(len(cells) for cells in rows if len(cells) > 1)
        return max(widths.values(), default=0)

    return max(DELIMITERS, key=regular)


def _share(pattern: re.Pattern[str], cells: Sequence[str]) -> float:
    return sum(bool(pattern.fullmatch(cell.strip())) for cell in cells) / max(1, len(cells))

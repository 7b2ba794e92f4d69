"""Read the pairs of a translation memory in TMX."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import IO
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from deepmt.base.errors import UserError
from deepmt.base.languages import language, named_language
from deepmt.data.members import open_member
from wings.text.text_forms import HEAD, REMEDY

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
HIGHLIGHT = "hi"
"""The only inline element with text; the others hold codes of a format."""
BREAKS = re.compile(r"[lpc]b|\s*<br\b.*|\s+", re.IGNORECASE | re.DOTALL)
"""Types of codes, or such codes themselves, that break a line, a page or a column."""
ENCODINGS = {
    rb"\xef\xbb\xbf": "utf-8-sig",
    rb"\xff\xfe|\xfe\xff": "utf-16",
    rb"<\0": "utf-16-le",
    rb"\0<": "utf-16-be",
}
"""Encodings by the first bytes of a file."""
DECLARED = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"']([\w.-]+)")
FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML forbids."""
REFERENCE = re.compile("&#([0-9]{1,7}|[xX][0-9a-fA-F]{1,6});")


def tmx_pairs(file: Path, languages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the two sides of each unit; both are empty if it lacks one.

    Raises:
        ValueError: the file is damaged, or no unit has both languages; says which it has.
    """
    asked = [language(code).code for code in languages]
    found: Counter[str] = Counter()
    pairs = 0
    for unit in _units(file):
        # Of several variants in one language, the first counts.
        sides = {named_language(_language_of(each)): _segment(each) for each in unit[::-1]}
        found.update(sides.keys())
        whole = all(code in sides for code in asked)
        pairs += whole
        yield (sides[asked[0]], sides[asked[1]]) if whole else ("", "")
    if not pairs:
        counts = ", ".join(f"{code} ({count:,})" for code, count in sorted(found.items()) if code)
        raise UserError(
            f"{file}: no unit has both {languages[0]} and {languages[1]}; it has"
            f" {counts or 'units of no known language'}"
        )


class Allowed:
    """Read a text without the characters that XML forbids; a space takes the place of each."""

    def __init__(self, text: IO[str]) -> None:
        self.text = text

    def read(self, size: int = -1) -> str:
        """Return the next part; no reference is cut at its end."""
        part = self.text.read(size)
        while "&" in part[-12:] and (more := self.text.read(1)):
            part += more
        return REFERENCE.sub(_allowed, FORBIDDEN.sub(" ", part))


def _allowed(found: re.Match[str]) -> str:
    """Return a reference to a character, or a space if XML forbids it."""
    number = int(f"0{found[1]}", 10 if found[1].isdecimal() else 16)
    return " " if number > sys.maxunicode or FORBIDDEN.match(chr(number)) else found[0]


def _encoding(head: bytes) -> str:
    """Return the encoding of a file by its first bytes, or else as it declares it."""
    known = (name for mark, name in ENCODINGS.items() if re.match(mark, head))
    declared = DECLARED.match(head)
    return next(known, declared[1].decode() if declared else "utf-8")


def _units(file: Path) -> Iterator[list[Element]]:
    """Yield the variants of each unit, and forget them.

    Python decodes the text, since the parser has no encodings of several bytes but Unicode's.
    """
    with open_member(file, remedy=REMEDY) as stream:
        encoding = _encoding(stream.read(HEAD))
        stream.seek(0)
        try:
            text = Allowed(TextIOWrapper(stream, encoding))
            parents: list[Element] = []
            for event, element in ElementTree.iterparse(text, events=("start", "end")):
                if event == "start":
                    parents.append(element)
                    continue
                parents.pop()
                if _tag(element) == "tu":
                    yield [child for child in element if _tag(child) == "tuv"]
                    parents[-1].clear()
        except (LookupError, UnicodeError) as error:
            raise UserError(
                f"{file}: is not {encoding}, as its first line has it ({error}); save it in UTF-8,"
                ' and declare encoding="UTF-8"'
            ) from error
        except ElementTree.ParseError as error:
            raise UserError(f"{file}: is not well-formed TMX ({error}); export it again") from error


def _tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _language_of(variant: Element) -> str:
    return variant.get(LANG) or variant.get("lang") or ""


def _segment(variant: Element) -> str:
    segments = (child for child in variant if _tag(child) == "seg")
    return next((_text(segment) for segment in segments), "")


def _text(element: Element) -> str:
    """Return the text of a segment without the codes of its format; one that breaks is a space."""
    parts = [element.text or ""]
    for child in element:
        if _tag(child) == HIGHLIGHT:
            parts.append(_text(child))
        elif BREAKS.fullmatch(child.get("type", "")) or BREAKS.fullmatch(child.text or ""):
            parts.append(" ")
        parts.append(child.tail or "")
    return "".join(parts)

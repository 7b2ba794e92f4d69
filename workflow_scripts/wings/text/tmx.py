"""Read the pairs of a translation memory in TMX."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from deepmt.base.errors import UserError
from deepmt.base.languages import language, named_language
from deepmt.data.members import open_member
from wings.text.text_forms import REMEDY

LANG = "{http://www.w3.org/XML/1998/namespace}lang"
HIGHLIGHT = "hi"
"""The only inline element with text; the others hold codes of a format."""


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


def _units(file: Path) -> Iterator[list[Element]]:
    """Yield the variants of each unit, and forget them."""
    with open_member(file, remedy=REMEDY) as stream:
        try:
            parents: list[Element] = []
            for event, element in ElementTree.iterparse(stream, events=("start", "end")):
                if event == "start":
                    parents.append(element)
                    continue
                parents.pop()
                if _tag(element) == "tu":
                    yield [child for child in element if _tag(child) == "tuv"]
                    parents[-1].clear()
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
    """Return the text of a segment without the codes of its format."""
    parts = [element.text or ""]
    for child in element:
        parts += [_text(child) if _tag(child) == HIGHLIGHT else "", child.tail or ""]
    return "".join(parts)

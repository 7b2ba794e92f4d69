"""Know lines that are not text as people write it: forms of other programs, and entities."""

import re
from collections.abc import Sequence

from deepmt.base.errors import UserError

TAGS = "doctype|xml|tmx|tuv?|mteval|dataset|[a-z]+set|doc|hl|p|seg|src|ref|hyp"
FORMS = {
    "SGML or XML": re.compile(rf"\s*<[/!?]?({TAGS})\b", re.IGNORECASE),
    "JSON": re.compile(r'\s*[\[{]\s*"'),
    "output of fairseq (H-0 and the like)": re.compile(r"[STHDP]-\d+\t"),
    "an n-best list (|||)": re.compile(r".* \|\|\| "),
    "a table (tabs)": re.compile(r".*\t"),
}
"""What lines are, by how they look."""
ENTITY = re.compile(r"&(#\d+|#x[\da-f]+|[a-z]{2,8}\d?);", re.IGNORECASE)

TOKENISED = re.compile(r"\S [.,](\s|$)| @-@ ")
"""A full stop or comma after a space, or a hyphen of Moses; French writes spaces before ? and !."""
MANY = 0.2
"""Share of lines with such a sign, or with entities, that text as people write it never has."""


def look_tokenised(lines: Sequence[str]) -> bool:
    """Check if many lines look tokenised."""
    return sum(bool(TOKENISED.search(line)) for line in lines) > MANY * len(lines)


def check_lines(name: object, lines: Sequence[str]) -> None:
    """Refuse lines of which most are of another form than text.

    Raises:
        ValueError: names the form, under the name of the file.
    """
    for form, mark in FORMS.items():
        if 2 * sum(bool(mark.match(line)) for line in lines) > len(lines):
            raise UserError(f"{name}: is {form}, not text: write its text alone, a segment a line")

"""Escape control characters, which a terminal may obey, in text from outside."""

import re

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""All of them except tab and line feed, and the marks that change the direction of text."""


def printable(text: str) -> str:
    """Return the text with each control character as an escape sequence, e.g. \\x1b."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)

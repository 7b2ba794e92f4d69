"""Print text from outside without control characters, which a terminal may obey."""

import re
import sys
from contextlib import suppress
from io import TextIOWrapper

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""All of them except tab and line feed, and the marks that change the direction of text."""


def printable(text: str) -> str:
    """Return the text with each control character as an escape sequence, e.g. \\x1b."""
    return CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def print_in_any_locale() -> None:
    """Let standard output escape what its encoding lacks, as standard error does."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def say(line: str) -> None:
    """Print a printable line on standard error; go on if that is closed."""
    with suppress(OSError):
        if sys.stderr:
            print(printable(line), file=sys.stderr, flush=True)

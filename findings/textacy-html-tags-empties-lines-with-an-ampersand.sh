#!/usr/bin/env bash
# textacy's remove.html_tags returns nothing for "He works at AT&T.": a line with & in its last word is lost, with tags or without.
# Topic: text
# Packages: textacy==0.13.0, cytoolz==1.2.0, toolz==1.2.0; its types (they need spaCy) are a stand-in
# Behaviour: if the last 34 characters have an & with neither a space nor a semicolon behind it, everything behind the
#   last tag goes, which is the whole line where there is none: "Procter&Gamble", "Any questions? See our Q&A", "Tom
#   &Jerry" are empty, "<b>New</b> shoes from H&M!" is "New". With a word behind, or with "R & D", nothing is lost,
#   and &amp; becomes &.
# Why a good guess is wrong: the note says that the function does nothing fancy, so one fears for "<"; a line without
#   any tag is expected to come back, and a line that is mended comes back with its &.
# Who meets it: pipelines of textacy.preprocessing over web text, which mend quotes and spaces along with tags:
#   sentences that end in AT&T, R&D, Q&A, H&M or S&P become empty, and their translations stay.
# Source: textacy/preprocessing/remove.py, `html_tags`: Python's HTMLParser is fed but never closed, and keeps back
#   what could be the beginning of an entity.
# Remedy: text + " ", as a space behind the last word ends the waiting (the result is stripped).
# Seen: 'He works at AT&T.': ''
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps textacy==0.13.0 cytoolz==1.2.0 \
  toolz==1.2.0 2> /dev/null
bin/python - << 'PYTHON'
import importlib.util
import sys
import types
from unittest.mock import MagicMock

package = types.ModuleType("textacy")
package.__path__ = importlib.util.find_spec("textacy").submodule_search_locations
sys.modules["textacy"] = package
sys.modules["textacy.types"] = MagicMock()
from textacy.preprocessing import remove

LOST = {
    "He works at AT&T.": "", "Procter&Gamble": "", "Any questions? See our Q&A": "", "Tom &Jerry": "",
    "<b>New</b> shoes from H&M!": "New",
}
KEPT = ["He works at AT&T today.", "Research & development", "Straße"]
print("; ".join(f"{text!r}: {remove.html_tags(text)!r}" for text in LOST))
assert all(remove.html_tags(text) == rest for text, rest in LOST.items())
assert all(remove.html_tags(text) == text for text in KEPT)
assert remove.html_tags("<p>R&amp;D</p>") == "R&D" and remove.html_tags("He works at AT&T. ") == "He works at AT&T."
PYTHON

"""True-case the start of sentences, for splits whose training text came true-cased.

This follows Moses' truecase.perl with a model of that text: a word that starts a sentence takes its
most frequent spelling there. Moses also changes unknown words within a sentence; this does not.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from deepmt.data.lines import read_lines, write_lines

ENDS = frozenset(".:?!")
BEFORE_WORDS = frozenset(("(", "[", '"', "'", "&apos;", "&quot;", "&#91;", "&#93;"))
"""Tokens that may come between a sentence's start and its first word."""


def truecase_files(files: Sequence[Path], training: Path) -> None:
    """Rewrite tokenised text of one language in the spelling of its training text."""
    first = {word.lower() for path in files for word in _first_words(read_lines(path))}
    spelling = spellings(read_lines(training), first)
    for path in files:
        write_lines(path, [truecase(line, spelling) for line in read_lines(path)])


def spellings(lines: Iterable[str], lowered: Collection[str]) -> dict[str, str]:
    """Return the most frequent spelling of each word in `lowered`."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        for word in line.split():
            if word.lower() in lowered:
                counts[word.lower()][word] += 1
    return {word: counted.most_common(1)[0][0] for word, counted in counts.items()}


def truecase(line: str, spelling: Mapping[str, str]) -> str:
    """Return a tokenised line with each word that starts a sentence in its usual spelling."""
    words = line.split(" ")
    for position in _starts(words):
        words[position] = spelling.get(words[position].lower(), words[position])
    return " ".join(words)


def _first_words(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        words = line.split(" ")
        yield from (words[position] for position in _starts(words))


def _starts(words: Sequence[str]) -> Iterator[int]:
    starting = True
    for position, word in enumerate(words):
        if word in ENDS:
            starting = True
        elif word not in BEFORE_WORDS:
            if starting:
                yield position
            starting = False

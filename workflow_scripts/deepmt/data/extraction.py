"""From archives to plain text pairs: raw/{set}.{language}, one segment a line."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path

from deepmt.config.corpora import Corpus, Part, Split
from deepmt.data.cleaning import Cleaner
from deepmt.data.lines import decode_lines, pair_lines, replacing
from deepmt.data.members import open_member
from deepmt.data.tokeniser import Tokeniser
from deepmt.files import sha256, write_json

Pairs = Iterator[tuple[str, str]]
COLUMN_SAMPLE = 1000
"""Lines by which it is told which column is English."""


def plain_text(lines: Iterator[str]) -> Iterator[str]:
    """One segment a line already."""
    return lines


def iwslt_xml(lines: Iterator[str]) -> Iterator[str]:
    """Segments of an IWSLT evaluation file, as fairseq's prepare-iwslt14.sh reads them.

    Entities stay as they are and a right single quote becomes an apostrophe.
    """
    for line in lines:
        if "<seg id" in line:
            line = re.sub(r'<seg id="[0-9]*">\s*', "", line)
            yield re.sub(r"\s*</seg>\s*", "", line).replace("’", "'")


def iwslt_tags(lines: Iterator[str]) -> Iterator[str]:
    """Segments of an IWSLT train.tags file, as fairseq's prepare-iwslt14.sh reads them.

    Lines with <url>, <talkid> or <keywords> go; titles and descriptions stay without their tags.
    """
    for line in lines:
        if not re.search("<url>|<talkid>|<keywords>", line):
            yield re.sub("</?(title|description)>", "", line)


def sgm(lines: Iterator[str]) -> Iterator[str]:
    """Segments of WMT's SGML, as Moses' input-from-sgm reads them.

    A segment may go over several lines, and its white space shrinks to single spaces. Entities
    stay as they are, and so do U+2028 and its like, which sacreBLEU takes for spaces. Raises
    ValueError for a segment that does not end.
    """
    held = ""
    for line in lines:
        held += line
        if not OPEN_SEGMENT.search(held):
            held = ""
        elif found := SEGMENT.search(held):
            yield WHITE_SPACE.sub(" ", found[1]).strip(" ")
            held = ""
    if held:
        raise ValueError(f"a segment has no </seg>: {held[:60]}")


def compound_marks(lines: Iterator[str]) -> Iterator[str]:
    """Text whose split hyphens carry the mark of Stanford's and Google's files: Moses' instead."""
    for line in lines:
        yield line.replace("##AT##-##AT##", "@-@")


OPEN_SEGMENT = re.compile(r"<seg[^>]+>", re.IGNORECASE)
SEGMENT = re.compile(r"<seg[^>]+>(.*)</seg>", re.IGNORECASE)
WHITE_SPACE = re.compile(r"\s+", re.ASCII)
FORMATS: dict[str, Callable[[Iterator[str]], Iterator[str]]] = {
    "text": plain_text,
    "sgm": sgm,
    "compound-marks": compound_marks,
    "iwslt-xml": iwslt_xml,
    "iwslt-tags": iwslt_tags,
}


def extract(corpus: Corpus, archives: dict[str, Path], folder: Path) -> dict[str, int]:
    """Write every set of a corpus and counts.json; returns the number of pairs in each set.

    Raises ValueError if a member is missing or damaged, a line is not UTF-8, the sides differ in
    length, a line count is not that of corpora.yaml, or columns are exchanged.
    """
    assert corpus.sets is not None, "a generated corpus has no archives"
    counts: dict[str, int] = {}
    dropped: dict[str, int] = {}
    for name, parts in corpus.sets.items():
        pairs = (pair for part in parts for pair in part_pairs(part, corpus, archives))
        if name == "train" and corpus.split:
            cleaner = _SplitCleaner(corpus.split, corpus.languages)
            counts |= _write_split(cleaner, pairs, corpus, folder)
            dropped = cleaner.dropped
        else:
            counts |= _write(((name, pair) for pair in pairs), (name,), corpus, folder)
    names = [f"{name}.{language}" for name in counts for language in corpus.languages]
    write_json(
        folder / "counts.json",
        {
            "pairs": counts,
            "dropped_before_split": dropped,
            "tokens": corpus.tokens,
            "sha256": {name: sha256(folder / name) for name in names},
        },
    )
    return counts


def part_pairs(part: Part, corpus: Corpus, archives: dict[str, Path]) -> Pairs:
    """Pairs of one part, its line count checked."""
    languages = corpus.languages
    sides = [_side(part, language, languages, archives) for language in languages]
    names = [_name(part, language, languages, archives) for language in languages]
    pairs = pair_lines(*sides, source_name=names[0], target_name=names[1])
    if part.columns:
        pairs = _right_columns(pairs, corpus.languages, names[0])
    expected = None if part.lines is None else part.lines + part.trailing_empty_lines
    count = 0
    for count, pair in enumerate(pairs, 1):
        if part.lines is None or count <= part.lines:
            yield pair
        elif count <= part.lines + part.trailing_empty_lines and pair != ("", ""):
            raise ValueError(f"{names[0]}, line {count}: corpora.yaml says that it is empty")
    if expected is not None and count != expected:
        raise ValueError(
            f"{' and '.join(names)} have {count:,} lines, but corpora.yaml says {expected:,};"
            " the archive is another version than the one described"
        )


def _side(
    part: Part, language: str, languages: tuple[str, str], archives: dict[str, Path]
) -> Iterator[str]:
    name = _name(part, language, languages, archives)
    archive = archives[part.archive_of(language, languages)]
    with open_member(archive, part.member_of(language, languages)) as stream:
        lines = decode_lines(stream, name)
        if part.columns:
            lines = column(lines, part.columns[language], name)
        try:
            yield from FORMATS[part.format](lines)
        except ValueError as error:
            raise ValueError(str(error) if name in str(error) else f"{name}: {error}") from error


def _name(part: Part, language: str, languages: tuple[str, str], archives: dict[str, Path]) -> str:
    member = part.member_of(language, languages)
    return str(archives[part.archive_of(language, languages)]) + (f":{member}" if member else "")


def column(lines: Iterator[str], number: int, name: str) -> Iterator[str]:
    """One column of tab-separated lines, counted from 1; raises ValueError if a line lacks it."""
    for position, line in enumerate(lines, 1):
        fields = line.split("\t")
        if len(fields) < number:
            raise ValueError(
                f"{name}, line {position}: there are {len(fields)} columns, but corpora.yaml"
                f" names number {number}"
            )
        yield fields[number - 1]


def _right_columns(pairs: Pairs, languages: tuple[str, str], name: str) -> Pairs:
    """The pairs, once their beginning shows that the English column is the English one.

    No other language here does with as few letters beyond ASCII.
    """
    beginning = list(islice(pairs, COLUMN_SAMPLE))
    if "en" in languages:
        foreign = [
            sum(char.isalpha() and not char.isascii() for pair in beginning for char in pair[side])
            for side in (0, 1)
        ]
        english = languages.index("en")
        if beginning and foreign[english] >= foreign[1 - english]:
            raise ValueError(
                f"{name}: the column of {languages[english]} has {foreign[english]:,} letters"
                f" beyond ASCII in {len(beginning):,} lines, that of {languages[1 - english]}"
                f" {foreign[1 - english]:,}: exchange the numbers under columns in corpora.yaml"
            )
    return chain(beginning, pairs)


class _SplitCleaner:
    """Keeps the pairs that a split counts; all of them if it counts before cleaning."""

    def __init__(self, split: Split, languages: tuple[str, str]) -> None:
        steps = split.cleaning
        self._cleaner = Cleaner(steps) if steps else None
        self._tokenisers = [Tokeniser(steps, language) for language in languages if steps]

    def keep(self, pair: tuple[str, str]) -> bool:
        if self._cleaner is None:
            return True
        source, target = self._tokenisers
        return self._cleaner.keep(source.tokenise(pair[0]), target.tokenise(pair[1]))

    @property
    def dropped(self) -> dict[str, int]:
        counts = self._cleaner.counts if self._cleaner else {}
        return {reason: count for reason, count in counts.items() if reason != "kept"}


def _write_split(
    cleaner: _SplitCleaner, pairs: Pairs, corpus: Corpus, folder: Path
) -> dict[str, int]:
    assert corpus.split is not None
    split = corpus.split
    kept = enumerate(filter(cleaner.keep, pairs), 1)
    named = ((split.set if n % split.every == 0 else "train", pair) for n, pair in kept)
    return _write(named, ("train", split.set), corpus, folder)


def _thinned(
    named: Iterator[tuple[str, tuple[str, str]]], one_in: int
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Every n-th training pair, and all of the other sets."""
    number = 0
    for name, pair in named:
        number += name == "train"
        if name != "train" or number % one_in == 0:
            yield name, pair


def _write(
    named: Iterator[tuple[str, tuple[str, str]]],
    names: tuple[str, ...],
    corpus: Corpus,
    folder: Path,
) -> dict[str, int]:
    counts = dict.fromkeys(names, 0)
    with ExitStack() as stack:
        files = {
            (name, language): stack.enter_context(replacing(folder / f"{name}.{language}"))
            for name in names
            for language in corpus.languages
        }
        for name, pair in _thinned(named, corpus.one_in):
            counts[name] += 1
            for language, line in zip(corpus.languages, pair, strict=True):
                files[name, language].write(line + "\n")
    return counts

"""Extract plain text pairs from archives: raw/{split}.{language}, one segment a line."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, islice, repeat
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.base.languages import language
from deepmt.base.placeholders import filled
from deepmt.data.cleaning import Cleaner
from deepmt.data.lines import LONGEST, NamedPairs, pair_lines, write_splits
from deepmt.data.members import read_member
from deepmt.data.raw_corpus import RawCorpus
from deepmt.data.tokeniser import Tokeniser
from deepmt.settings.corpora import Corpus, HeldOut, Part

Pairs = Iterator[tuple[str, str]]
COLUMN_SAMPLE = 1000
"""Number of lines used to check which column is English."""


def iwslt_xml(lines: Iterator[str]) -> Iterator[str]:
    """Yield the segments of an IWSLT evaluation file, as fairseq's prepare-iwslt14.sh does.

    Entities stay as they are and a right single quote becomes an apostrophe.
    """
    for line in lines:
        if "<seg id" in line:
            line = re.sub(r'<seg id="[0-9]*">\s*', "", line)
            yield re.sub(r"\s*</seg>\s*", "", line).replace("’", "'")


def iwslt_tags(lines: Iterator[str]) -> Iterator[str]:
    """Yield the segments of an IWSLT train.tags file, as fairseq's prepare-iwslt14.sh does.

    Lines with <url>, <talkid> or <keywords> are dropped; titles and descriptions lose their tags.
    """
    for line in lines:
        if not re.search("<url>|<talkid>|<keywords>", line):
            yield re.sub("</?(title|description)>", "", line)


def sgm(lines: Iterator[str]) -> Iterator[str]:
    """Yield the segments of WMT's SGML, as Moses' input-from-sgm does.

    A segment may span several lines; its white space is collapsed to single spaces. Entities stay
    as they are, and so do U+2028 and similar characters, which sacreBLEU takes for spaces. Raises
    ValueError for a segment that does not end.
    """
    held = ""
    for line in lines:
        held += line
        if len(held) > LONGEST:
            break
        if not OPEN_SEGMENT.search(held):
            held = ""
        elif found := SEGMENT.search(held):
            yield WHITE_SPACE.sub(" ", found[1]).strip(" ")
            held = ""
    if held:
        raise UserError(f"a segment has no </seg>: {held[:60]}")


def compound_marks(lines: Iterator[str]) -> Iterator[str]:
    """Replace Stanford's and Google's mark of a split hyphen by Moses'."""
    for line in lines:
        yield line.replace("##AT##-##AT##", "@-@")


OPEN_SEGMENT = re.compile(r"<seg[^>]+>", re.IGNORECASE)
SEGMENT = re.compile(r"<seg[^>]+>(.*)</seg>", re.IGNORECASE)
WHITE_SPACE = re.compile(r"\s+", re.ASCII)
FORMATS: dict[str, Callable[[Iterator[str]], Iterator[str]]] = {
    "text": iter,
    "sgm": sgm,
    "compound-marks": compound_marks,
    "iwslt-xml": iwslt_xml,
    "iwslt-tags": iwslt_tags,
}


def extract(corpus: Corpus, archives: dict[str, Path], folder: Path) -> dict[str, int]:
    """Write every split of a corpus and counts.json; return the number of pairs in each split.

    Raises ValueError if a member is missing or damaged, a line is not UTF-8, the sides differ in
    length, a line count differs from corpora.yaml, or columns are swapped.
    """
    counts: dict[str, int] = {}
    dropped: Counter[str] = Counter()
    for name, parts in corpus.splits.items():
        pairs = chain.from_iterable(part_pairs(part, corpus, archives) for part in parts)
        if name == "train" and corpus.held_out:
            splits = [name, corpus.held_out.split]
            named = _held_out(pairs, corpus.held_out, corpus.languages, dropped)
        else:
            splits, named = [name], zip(repeat(name), pairs, strict=False)
        counts |= write_splits(_subsampled(named, corpus.one_in), splits, corpus.languages, folder)
    about = {"dropped_before_split": dropped, "tokens": corpus.tokens}
    RawCorpus(folder).describe(counts, corpus.languages, **about)
    return counts


def part_pairs(part: Part, corpus: Corpus, archives: dict[str, Path]) -> Pairs:
    """Yield the pairs of one part, and check its line count."""
    languages = corpus.languages
    files = [archives[filled(part.archive, x, languages, part.codes)] for x in languages]
    members = [part.member and filled(part.member, x, languages, part.codes) for x in languages]
    names = [
        f"{f}:{member}" if member else str(f) for f, member in zip(files, members, strict=True)
    ]
    sides = map(_side, repeat(part), languages, files, members, names)
    pairs = pair_lines(sides, names)
    if part.columns:
        pairs = _check_english(pairs, languages, names[0])
    count = 0
    for count, pair in enumerate(pairs, 1):
        if part.lines is None or count <= part.lines:
            yield pair
        elif count <= part.lines + part.trailing_empty_lines and pair != ("", ""):
            raise UserError(f"{names[0]}, line {count}: must be empty, as corpora.yaml says")
    if part.lines is not None and count != part.lines + part.trailing_empty_lines:
        expected = part.lines + part.trailing_empty_lines
        raise UserError(
            f"{' and '.join(names)} have {count:,} lines, but corpora.yaml says {expected:,};"
            " the archive is a different version"
        )


def _side(part: Part, language: str, file: Path, member: str | None, name: str) -> Iterator[str]:
    lines = read_member(file, member)
    if part.columns:
        lines = _column(lines, part.columns[language], name)
    try:
        yield from FORMATS[part.format](lines)
    except ValueError as error:
        known = str(file) in str(error)
        raise UserError(str(error) if known else f"{name}: {error}") from error


def _column(lines: Iterator[str], number: int, name: str) -> Iterator[str]:
    """Yield one column of tab-separated lines; raise ValueError if a line lacks it."""
    for position, line in enumerate(lines, 1):
        fields = line.split("\t")
        if len(fields) < number:
            raise UserError(
                f"{name}, line {position}: has {len(fields)} columns, but corpora.yaml asks for"
                f" column {number}"
            )
        yield fields[number - 1]


def _check_english(pairs: Pairs, languages: tuple[str, str], name: str) -> Pairs:
    """Yield the pairs, after checking on the first lines that the English column is English.

    No other language here has as few letters beyond ASCII.
    """
    beginning = list(islice(pairs, COLUMN_SAMPLE))
    codes = [language(code).code for code in languages]
    if "en" in codes:
        foreign = [
            sum(char.isalpha() and not char.isascii() for pair in beginning for char in pair[side])
            for side in (0, 1)
        ]
        english = codes.index("en")
        if beginning and foreign[english] >= foreign[1 - english]:
            raise UserError(
                f"{name}: the column of {languages[english]} has {foreign[english]:,} letters"
                f" beyond ASCII in {len(beginning):,} lines, that of {languages[1 - english]}"
                f" {foreign[1 - english]:,}: swap the numbers under columns in corpora.yaml"
            )
    return chain(beginning, pairs)


def _held_out(
    pairs: Pairs, held_out: HeldOut, languages: tuple[str, str], dropped: Counter[str]
) -> NamedPairs:
    """Assign every n-th pair to the held-out split; with cleaning, count and keep clean pairs."""
    cleaner = Cleaner(held_out.cleaning) if held_out.cleaning else None
    tokenisers = [Tokeniser(held_out.cleaning, lang) for lang in languages if held_out.cleaning]
    number = 0
    for pair in pairs:
        tokens = (t.tokenise(line) for t, line in zip(tokenisers, pair, strict=False))
        if cleaner is None or cleaner.keep(*tokens):
            number += 1
            yield held_out.split if number % held_out.every == 0 else "train", pair
    if cleaner:
        dropped.update({why: count for why, count in cleaner.counts.items() if why != "kept"})


def _subsampled(named: NamedPairs, one_in: int) -> NamedPairs:
    """Yield every n-th training pair, and all pairs of other splits."""
    number = 0
    for name, pair in named:
        number += name == "train"
        if name != "train" or number % one_in == 0:
            yield name, pair

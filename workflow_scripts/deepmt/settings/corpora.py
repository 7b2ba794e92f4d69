"""Read corpora.yaml: where each corpus comes from, its splits and its licence."""

from collections.abc import Collection, Iterable
from dataclasses import field
from functools import reduce
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from deepmt.base.files import visible
from deepmt.base.languages import language
from deepmt.base.placeholders import filled
from deepmt.base.printable import say
from deepmt.settings.strict import (
    MOST,
    STRICT,
    Count,
    CountOrNone,
    Few,
    Name,
    Positive,
    look_up,
)
from deepmt.settings.strict_yaml import (
    Problems,
    Section,
    StrictYamlError,
    load,
    merged,
    read,
    with_bases,
)
from deepmt.settings.synthetic import (
    Monolingual,
    Synthetic,
    check_monolingual,
    check_synthetic,
)
from deepmt.settings.text_steps import SAMPLE, TextSteps

Split = Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$")]
Address = Annotated[str, Field(pattern="^https?://")]


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Archive:
    """Describe a file to fetch; `name` is its owner's name for it.

    One with a `path` ships with the project. `addresses` are tried in order; `mirror_paths` are
    where a mirror folder may hold it; `obtain` tells users how to get a file that has no public
    address.
    """

    name: str
    bytes: Annotated[int, Field(ge=1, le=10**15)] | None = None
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    md5: Annotated[str, Field(pattern="^[0-9a-f]{32}$")] | None = None
    path: str | None = None
    addresses: tuple[Address, ...] = ()
    mirror_paths: tuple[str, ...] = ()
    obtain: str = ""

    @property
    def checksum(self) -> tuple[str, str] | None:
        """Return algorithm and hexadecimal digits of the strongest known checksum, or None."""
        if self.sha256:
            return "sha256", self.sha256
        return ("md5", self.md5) if self.md5 else None


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Part:
    """Describe some lines of a split: one member for each side.

    `placeholders.py` fills `archive` and `member`. `columns` gives the column of each language in a
    tab-separated member, counted from 1.
    """

    archive: str
    member: str | None = None
    format: Literal["text", "sgm", "iwslt-xml", "iwslt-tags", "compound-marks"] = "text"
    columns: dict[str, Few] | None = None
    codes: dict[str, str] | None = None
    lines: Count | None = None
    trailing_empty_lines: CountOrNone = 0


@dataclass(frozen=True, kw_only=True, config=STRICT)
class HeldOut:
    """Move every n-th training pair to `split`, counted after `cleaning` if that is given."""

    split: Split
    every: Annotated[int, Field(ge=2, le=MOST)]
    cleaning: TextSteps | None = None


@dataclass(frozen=True, kw_only=True, config=STRICT)
class CorpusSize:
    """Describe an encoded corpus; lengths are means in subwords, including the end symbol."""

    pairs: Count
    types: tuple[Count, Count]
    joint_types: CountOrNone = 0
    """0 = as many as the side with more of them."""
    lengths: tuple[Positive, Positive]
    basis: str = "types as the paper has them; 1.2 subwords a word assumed"


@dataclass(frozen=True, kw_only=True, config=ConfigDict(**STRICT, populate_by_name=True))
class Corpus:
    """Describe a language pair's text, read from archives."""

    source: Name
    target: Name
    title: str
    licence: str
    citation: str
    note: str
    splits: dict[Split, tuple[Part, ...]]
    tokens: tuple[str, ...] = ()
    """Splits whose text is tokenised already; no text step applies to them."""
    partial: bool = False
    """True if it has less text than the papers had; no score on it compares with theirs."""
    held_out: HeldOut | None = None
    one_in: Count = 1
    """Keep one in this many training pairs, not counting those held out."""
    base: Annotated[str | None, Field(alias="from")] = None
    """This corpus differs from that one only in the keys given here."""
    reverse_of: str | None = None
    """The same, and its sides are exchanged."""
    synthetic: Synthetic | None = None
    size: CorpusSize | None = None

    @property
    def languages(self) -> tuple[str, str]:
        """Return the source and target languages."""
        return self.source, self.target

    @property
    def origin(self) -> Literal["archives", "reversal", "back_translation"]:
        """Return how its raw text is made."""
        if self.synthetic:
            return "back_translation"
        return "reversal" if self.reverse_of else "archives"

    @property
    def split_names(self) -> tuple[str, ...]:
        """Return all splits with raw text: train, dev, test, then any others."""
        names = list(self.splits)
        if self.held_out:
            names.insert(1, self.held_out.split)
        return tuple(names)

    @property
    def translated(self) -> tuple[str, ...]:
        """Return all splits that models translate: the same with the sample in place of train."""
        return tuple(SAMPLE if name == "train" else name for name in self.split_names)

    @property
    def archives(self) -> tuple[str, ...]:
        """Return the keys of the archives needed, in the order of the splits."""
        parts = [part for parts in self.splits.values() for part in parts]
        both = self.languages
        keys = (filled(p.archive, side, both, p.codes) for p in parts for side in both)
        return tuple(dict.fromkeys(keys))


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Corpora:
    """Hold all archives and corpora by key; several corpora may share the `parts`."""

    archives: dict[Name, Archive]
    parts: tuple[Part, ...] = ()
    corpora: dict[Name, Corpus]
    monolingual: dict[Name, Monolingual] = field(default_factory=dict)

    def archive(self, key: str) -> Archive:
        """Return the archive of a key; raise ValueError, with a suggestion, if there is none."""
        return look_up("archive", key, self.archives)

    def corpus(self, key: str) -> Corpus:
        """Return the corpus of a key, likewise."""
        return look_up("corpus", key, self.corpora)

    def text(self, key: str) -> Monolingual:
        """Return the monolingual text of a key, likewise."""
        return look_up("monolingual text", key, self.monolingual)


def load_corpora(path: Path, without: Collection[Path] = ()) -> Corpora:
    """Read corpora.yaml and corpora/*.yaml; raise one ValueError that lists all errors.

    A file of corpora/ with errors is left out, which is said: all but its own corpus goes on.
    """
    own = [file for file in visible(path.parent, "corpora/*.yaml") if file not in without]
    try:
        return _joined(path, own)
    except StrictYamlError as error:
        if not (wrong := [file for file in own if f"{file}:" in str(error)]):
            raise
        say(f"left out: {error}")
    return load_corpora(path, [*without, *wrong])


def _joined(path: Path, own: Iterable[Path]) -> Corpora:
    document = reduce(merged, map(load, own), completed(load(path)))
    corpora, problems = read(document, Corpora), Problems(document)
    for key, archive in corpora.archives.items():
        _check_archive(key, archive, problems)
    for number in range(len(corpora.parts)):
        problems.check_names(("parts", number, "archive"), corpora.archives)
    for key, text in corpora.monolingual.items():
        check_monolingual(key, text, corpora, problems)
    for key, corpus in corpora.corpora.items():
        _check_corpus(key, corpus, corpora, problems)
    problems.raise_if_any()
    return corpora


NOT_TAKEN_OVER = ("from", "reverse_of", "size", "synthetic")


def completed(document: Section) -> Section:
    """Return corpora.yaml with each corpus completed from the one that it is made from.

    Raises:
        ValueError: a corpus is made from one that does not exist, or from itself.
    """
    if not isinstance(corpora := document.get("corpora"), Section):
        return document
    whole, wrong = Section({}, corpora.place, corpora.places), []
    for key, entry in corpora.items():
        try:
            names = with_bases(key, corpora.get, corpora, "corpus", ("from", "reverse_of"))
        except StrictYamlError as error:
            wrong.append(str(error))
            continue
        bases = [one for name in names[1:] if isinstance(one := corpora[name], Section)]
        whole[key] = reduce(lambda own, base: own.over(base.without(NOT_TAKEN_OVER)), bases, entry)
    if wrong:
        raise StrictYamlError(wrong)
    return Section({"corpora": whole}, document.place, {}).over(document)


def _check_archive(key: str, archive: Archive, problems: Problems) -> None:
    location = ("archives", key)
    if not (archive.path or archive.addresses or archive.mirror_paths or archive.obtain):
        wrong = "needs a path, an address, a mirror path, or `obtain` (how to get it)"
        problems.add(location, wrong)
    for path in map(PurePosixPath, (archive.name, *archive.mirror_paths)):
        if path.is_absolute() or ".." in path.parts:
            problems.add(location, f"the path {path} must be relative and without '..'")


def _check_corpus(key: str, corpus: Corpus, corpora: Corpora, problems: Problems) -> None:
    location = ("corpora", key)
    if corpus.source == corpus.target:
        wrong = f"must differ from the source language ({corpus.source})"
        problems.add((*location, "target"), wrong)
    for side in ("source", "target"):
        try:
            language(getattr(corpus, side))
        except ValueError as error:
            problems.add((*location, side), str(error))
    for name in {"train", "dev", "test"} - set(corpus.split_names):
        problems.add(location, f"has no {name} split")
    problems.check_names((*location, "tokens"), corpus.split_names, "split")
    if corpus.reverse_of and corpus.base:
        problems.add(location, "needs either from or reverse_of, not both")
    other = corpora.corpora[corpus.reverse_of] if corpus.reverse_of else None
    if other and other.languages != corpus.languages[::-1]:
        problems.add((*location, "reverse_of"), "needs source and target of that one, exchanged")
    if corpus.held_out and corpus.held_out.split in corpus.splits:
        problems.add((*location, "held_out", "split"), "is also listed under splits")
    for archive in corpus.archives:
        if archive not in corpora.archives:
            problems.unknown(location, archive, corpora.archives, kind="archive")
    if corpus.synthetic:
        check_synthetic(key, corpus, corpora, problems)
    for name, parts in corpus.splits.items():
        for number, part in enumerate(parts):
            if part.columns and part.columns.keys() != set(corpus.languages):
                wrong = f"must name the columns of {' and '.join(corpus.languages)}"
                problems.add((*location, "splits", name, number, "columns"), wrong)

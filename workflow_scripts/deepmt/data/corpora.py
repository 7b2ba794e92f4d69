"""The list of corpora, corpora.yaml: where each comes from, its sets, its licence."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from deepmt.data.text import TextSteps
from deepmt.strict_yaml import Node, Problems, did_you_mean, load, read

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
SET_NAME = re.compile(r"[a-z][a-z0-9_]*")
SUM_LENGTHS = {"sha256": 64, "md5": 32}


@dataclass(frozen=True, kw_only=True)
class Archive:
    """A file to fetch; `name` is what its owner calls it.

    `addresses` are tried in order; `mirror_paths` are where a mirror folder may have it.
    """

    name: str
    bytes: int
    sha256: str | None = None
    md5: str | None = None
    addresses: tuple[str, ...] = ()
    mirror_paths: tuple[str, ...] = ()

    @property
    def checksum(self) -> tuple[str, str]:
        """The strongest known sum: its algorithm and hexadecimal digits."""
        if self.sha256:
            return "sha256", self.sha256
        assert self.md5 is not None
        return "md5", self.md5


@dataclass(frozen=True, kw_only=True)
class Part:
    """Some lines of a set: one member for each side, `{language}` standing for the side."""

    archive: str
    member: str | None = None
    format: Literal["text", "iwslt-xml", "iwslt-tags"] = "text"
    lines: int | None = None
    trailing_empty_lines: int = 0

    def archive_of(self, language: str) -> str:
        """Key of the archive that holds one side."""
        return self.archive.replace("{language}", language)

    def member_of(self, language: str) -> str | None:
        """Name of one side's member; None if the archive is a single file."""
        return self.member.replace("{language}", language) if self.member else None


@dataclass(frozen=True, kw_only=True)
class Split:
    """Every n-th training pair goes to `set`, counted after `cleaning` if that is given."""

    set: str
    every: int
    cleaning: TextSteps | None = None


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """A language pair's text: read from archives (`sets`), or made by a `generator`."""

    source: str
    target: str
    title: str
    licence: str
    citation: str
    note: str
    sets: dict[str, tuple[Part, ...]] | None = None
    split: Split | None = None
    generator: Literal["grammar"] | None = None
    seed: int | None = None
    sizes: dict[str, int] | None = None

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        return self.source, self.target

    @property
    def set_names(self) -> tuple[str, ...]:
        """All sets that raw text exists for: train, dev, test, then any others."""
        names = list(self.sets or self.sizes or ())
        if self.split:
            names.insert(1, self.split.set)
        return tuple(names)

    @property
    def archives(self) -> tuple[str, ...]:
        """Keys of the archives needed, in the order of the sets; empty if generated."""
        parts = [part for parts in (self.sets or {}).values() for part in parts]
        keys = (part.archive_of(language) for part in parts for language in self.languages)
        return tuple(dict.fromkeys(keys))


@dataclass(frozen=True, kw_only=True)
class Corpora:
    """All archives and corpora by key."""

    archives: dict[str, Archive]
    corpora: dict[str, Corpus]

    def archive(self, key: str) -> Archive:
        """The archive of that key; raises ValueError with a did-you-mean."""
        if key not in self.archives:
            raise ValueError(f"unknown archive '{key}'{did_you_mean(key, self.archives)}")
        return self.archives[key]

    def corpus(self, key: str) -> Corpus:
        """The corpus of that key; raises ValueError with a did-you-mean."""
        if key not in self.corpora:
            raise ValueError(f"unknown corpus '{key}'{did_you_mean(key, self.corpora)}")
        return self.corpora[key]


def load_corpora(path: Path) -> Corpora:
    """Read corpora.yaml; raises one ValueError that lists everything that is wrong in it."""
    problems = Problems()
    node = load(path)
    corpora = read(node, Corpora, problems)
    problems.raise_if_any()
    for key, archive in corpora.archives.items():
        _check_archive(key, archive, node["archives"][key], problems)
    for key, corpus in corpora.corpora.items():
        _check_corpus(key, corpus, corpora, node["corpora"][key], problems)
    problems.raise_if_any()
    return corpora


def _check_archive(key: str, archive: Archive, node: Node, problems: Problems) -> None:
    _check_key(key, node, problems)
    if not (archive.sha256 or archive.md5):
        problems.add(node, "needs a sha256 or an md5")
    for name, length in SUM_LENGTHS.items():
        digits = getattr(archive, name)
        if digits and not re.fullmatch(f"[0-9a-f]{{{length}}}", digits):
            problems.add(node[name], f"must be {length} lower-case hexadecimal digits")
    if not (archive.addresses or archive.mirror_paths):
        problems.add(node, "needs an address or a mirror path")
    if not all(address.startswith(("https://", "http://")) for address in archive.addresses):
        problems.add(node["addresses"], "an address starts with https:// or http://")
    for path in map(PurePosixPath, (archive.name, *archive.mirror_paths)):
        if path.is_absolute() or ".." in path.parts:
            problems.add(node, f"the path {path} must be relative and without '..'")


def _check_corpus(
    key: str, corpus: Corpus, corpora: Corpora, node: Node, problems: Problems
) -> None:
    _check_key(key, node, problems)
    if corpus.source == corpus.target:
        problems.add(node["target"], f"is the source language too ({corpus.source})")
    if (corpus.sets is None) == (corpus.generator is None):
        problems.add(node, "needs either sets or a generator, and not both")
    if corpus.generator and (corpus.seed is None or corpus.sizes is None):
        problems.add(node["generator"], "needs seed and sizes beside it")
    for name in {"train", "dev", "test"} - set(corpus.set_names):
        problems.add(node, f"has no {name} set")
    for name in corpus.set_names:
        if not SET_NAME.fullmatch(name):
            problems.add(node, f"the set name '{name}' must match {SET_NAME.pattern}")
    if corpus.split and corpus.split.every < 2:
        problems.add(node["split"]["every"], "must be at least 2")
    if corpus.split and corpus.split.set in (corpus.sets or {}):
        problems.add(node["split"]["set"], "this set is also among the sets")
    for archive in corpus.archives:
        if archive not in corpora.archives:
            problems.unknown(node, archive, corpora.archives, what="archive")


def _check_key(key: str, node: Node, problems: Problems) -> None:
    if not KEY.fullmatch(key):
        problems.add(node, f"the key '{key}' must match {KEY.pattern}: it becomes a file name")

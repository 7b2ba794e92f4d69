"""Subwords: learned on training text, applied to every set, undone on output.

BPE is subword-nmt's (Sennrich et al. 2016), with results identical to its own programs; it learns
from word counts, and each word is cut once. Text is tokens with single spaces between them.
"""

import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, Protocol

import sentencepiece
from subword_nmt import apply_bpe, learn_bpe

from deepmt.data.lines import read_lines, replacing

SEPARATOR = "@@"
CACHED_WORDS = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Subwords:
    """How words are cut.

    `merges` counts BPE merges, or all pieces for sentencepiece (unigram). `threshold`: BPE pieces
    seen less often in a side's own training text are cut further (0 = none).
    """

    kind: Literal["bpe", "sentencepiece", "none"]
    merges: int
    joint: bool
    threshold: int

    def __post_init__(self) -> None:
        if self.kind != "none" and self.merges < 1:
            raise ValueError(f"merges={self.merges} must be at least 1 for subword={self.kind}")
        if self.threshold < 0:
            raise ValueError(f"threshold={self.threshold} must be 0 (none) or more")
        if self.threshold and self.kind != "bpe":
            raise ValueError(f"threshold={self.threshold} needs subword=bpe, not {self.kind}")


class Segmenter(Protocol):
    """Cuts the tokens of a line into subwords, and back."""

    def segment(self, line: str) -> str:
        """Subwords with single spaces between them."""

    def undo(self, line: str) -> str:
        """The line that was cut."""


class Words:
    """No subwords: tokens as they are."""

    def segment(self, line: str) -> str:
        """The line itself, with single spaces."""
        return " ".join(words(line))

    def undo(self, line: str) -> str:
        """The line itself."""
        return line


class Bpe:
    """subword-nmt's segmentation by a list of merges, marked with `@@ `."""

    def __init__(self, codes: str, vocabulary: set[str] | None = None) -> None:
        self._bpe = apply_bpe.BPE(io.StringIO(codes), separator=SEPARATOR, vocab=vocabulary)
        self._cut = lru_cache(maxsize=CACHED_WORDS)(self._cut_word)

    def segment(self, line: str) -> str:
        """Subwords of each word, all but its last one marked."""
        return " ".join(map(self._cut, words(line)))

    def undo(self, line: str) -> str:
        """Join what is marked, as `sed -r 's/(@@ )|(@@ ?$)//g'` does."""
        return re.sub("(@@ )|(@@ ?$)", "", line)

    def _cut_word(self, word: str) -> str:
        bpe = self._bpe
        pieces = apply_bpe.encode(
            word, bpe.bpe_codes, bpe.bpe_codes_reverse, bpe.vocab, SEPARATOR, bpe.version, {}
        )
        return f"{SEPARATOR} ".join(pieces)


class SentencePiece:
    """sentencepiece's segmentation, with its own mark for spaces."""

    def __init__(self, model: Path) -> None:
        self._processor = sentencepiece.SentencePieceProcessor(model_file=str(model))

    def segment(self, line: str) -> str:
        """Pieces with single spaces between them."""
        return " ".join(self._processor.encode(line, out_type=str))

    def undo(self, line: str) -> str:
        """Join the pieces."""
        return str(self._processor.decode(words(line)))


def words(line: str) -> list[str]:
    """Tokens of a line; only the space (U+0020) separates, as in subword-nmt."""
    return [word for word in line.split(" ") if word]


def count_words(lines: Iterable[str]) -> Counter[str]:
    """How often each token occurs."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(words(line))
    return counts


def learn_codes(counts: Mapping[str, int], merges: int) -> str:
    """The merges file that subword-nmt's learn-bpe writes for text with these word counts."""
    if not any(len(word) > 1 for word in counts):
        raise ValueError("BPE needs a word of two or more characters in the training text")
    codes = io.StringIO()
    entries = [f"{word} {count}" for word, count in counts.items()]
    learn_bpe.learn_bpe(entries, codes, merges, is_dict=True)
    return codes.getvalue()


def learn(subwords: Subwords, training: Mapping[str, Path], folder: Path) -> None:
    """Learn from each language's training text and write what `load_segmenter` reads.

    Jointly learned: codes.joint, else codes.{language}; with a threshold also the counts of
    pieces, pieces.{language}, as learn_joint_bpe_and_vocab writes them.
    """
    groups = {"joint": list(training)} if subwords.joint else {name: [name] for name in training}
    if subwords.kind == "bpe":
        _learn_bpe(subwords, training, groups, folder)
    elif subwords.kind == "sentencepiece":
        for name, languages in groups.items():
            lines = (line for language in languages for line in read_lines(training[language]))
            _learn_sentencepiece(lines, subwords.merges, folder / f"codes.{name}")


def load_segmenter(subwords: Subwords, folder: Path, language: str) -> Segmenter:
    """The segmenter of one language, from what `learn` wrote."""
    codes = folder / f"codes.{'joint' if subwords.joint else language}"
    if subwords.kind == "none":
        return Words()
    if subwords.kind == "sentencepiece":
        return SentencePiece(codes)
    pieces = None
    if subwords.threshold:
        pieces = read_pieces(folder / f"pieces.{language}", subwords.threshold)
    return Bpe(codes.read_text(encoding="utf-8"), pieces)


def read_pieces(path: Path, threshold: int) -> set[str]:
    """Pieces seen at least `threshold` times, from a file of `piece count` lines."""
    entries = (line.rsplit(" ", 1) for line in read_lines(path))
    return {piece for piece, count in entries if int(count) >= threshold}


def _learn_bpe(
    subwords: Subwords, training: Mapping[str, Path], groups: dict[str, list[str]], folder: Path
) -> None:
    counts = {language: count_words(read_lines(path)) for language, path in training.items()}
    for name, languages in groups.items():
        together = sum((counts[language] for language in languages), Counter[str]())
        codes = learn_codes(together, subwords.merges)
        with replacing(folder / f"codes.{name}") as stream:
            stream.write(codes)
        for language in languages if subwords.threshold else []:
            _write_pieces(Bpe(codes), counts[language], folder / f"pieces.{language}")


def _write_pieces(bpe: Bpe, counts: Counter[str], path: Path) -> None:
    pieces: Counter[str] = Counter()
    for word, count in counts.items():
        for piece in words(bpe.segment(word)):
            pieces[piece] += count
    with replacing(path) as stream:
        for piece, count in sorted(pieces.items(), key=lambda entry: (-entry[1], entry[0])):
            stream.write(f"{piece} {count}\n")


def _learn_sentencepiece(lines: Iterable[str], pieces: int, path: Path) -> None:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        model_type="unigram",
        vocab_size=pieces,
        character_coverage=1.0,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=1,
    )
    with replacing(path, "wb") as stream:
        stream.write(model.getvalue())

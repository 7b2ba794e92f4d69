"""Subwords: learned on training text, applied to every set, undone on output.

BPE is that of subword-nmt (Sennrich et al. 2016), with results identical to its own programs; it
learns from word counts, and each word is cut once. Text is tokens with single spaces between them.
"""

import io
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, Protocol

import sentencepiece

from deepmt.data.bpe import Bpe, codes_of
from deepmt.data.byte_pairs import learn_merges
from deepmt.data.lines import read_lines, replacing
from deepmt.data.shards import Shard, in_order, shards
from deepmt.data.words import count_words, words


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


def learn(
    subwords: Subwords, training: Mapping[str, Path], folder: Path, processes: int = 1
) -> None:
    """Learn from each language's training text and write what `load_segmenter` reads.

    Jointly learned: codes.joint, else codes.{language}; with a threshold also the counts of
    pieces, pieces.{language}, as learn_joint_bpe_and_vocab writes them.
    """
    groups = {"joint": list(training)} if subwords.joint else {name: [name] for name in training}
    for name, languages in groups.items() if subwords.kind != "none" else ():
        files = [training[language] for language in languages]
        if subwords.kind == "sentencepiece":
            lines = chain.from_iterable(map(read_lines, files))
            _learn_sentencepiece(lines, subwords.merges, folder / f"codes.{name}")
            continue
        codes = codes_of(learn_merges(count_in(files, processes), subwords.merges))
        with replacing(folder / f"codes.{name}") as stream:
            stream.write(codes)
        for language in languages if subwords.threshold else ():
            # Counted once more, so that words of one language at a time are in memory.
            counts = count_in([training[language]], processes)
            _write_pieces(Bpe(codes), counts, folder / f"pieces.{language}")


def count_in(files: Iterable[Path], processes: int) -> Counter[str]:
    """How often each token occurs in files of tokens."""
    counts: Counter[str] = Counter()
    tasks = chain.from_iterable(map(shards, files))
    for counted in in_order(_count_shard, tasks, processes):
        counts.update(counted)
    return counts


def _count_shard(shard: Shard) -> Counter[str]:
    return count_words(shard.lines())


def segment_file(segmenter: Segmenter, source: Path, output: Path, processes: int = 1) -> None:
    """Cut every line of a file of tokens."""
    with replacing(output, "wb") as stream:
        stream.writelines(in_order(_SegmentShard(segmenter), shards(source), processes))


@dataclass(frozen=True)
class _SegmentShard:
    segmenter: Segmenter

    def __call__(self, shard: Shard) -> bytes:
        return "\n".join([*map(self.segmenter.segment, shard.lines()), ""]).encode()


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

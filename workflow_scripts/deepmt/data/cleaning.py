"""Which training pairs are kept: the rules of Moses' clean-corpus-n."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from deepmt.config.text_steps import TextSteps
from deepmt.data.lines import replacing
from deepmt.data.shards import PairShard, in_order, pair_shards
from deepmt.data.subword import Segmenter
from deepmt.data.tokeniser import Tokeniser

MAX_WORD_CHARACTERS = 1000


class Cleaner:
    """Decides on tokenised pairs and counts what was dropped and why.

    A pair is dropped if a side is empty, has more than `max_tokens` tokens or a token of more
    than 1,000 characters, or if one side has over `max_ratio` times the tokens of the other.
    """

    def __init__(self, steps: TextSteps) -> None:
        self.steps = steps
        self.counts: Counter[str] = Counter()

    def keep(self, source: str, target: str) -> bool:
        """Whether a pair stays; only ever asked about training pairs."""
        reason = self._reason(source.split(), target.split())
        self.counts[reason or "kept"] += 1
        return reason is None

    def _reason(self, source: list[str], target: list[str]) -> str | None:
        shorter, longer = sorted((len(source), len(target)))
        if shorter == 0:
            return "empty"
        if self.steps.max_tokens and longer > self.steps.max_tokens:
            return "too_long"
        if self.steps.max_ratio and longer / shorter > self.steps.max_ratio:
            return "ratio"
        if any(len(token) > MAX_WORD_CHARACTERS for side in (source, target) for token in side):
            return "word_too_long"
        return None


@dataclass(frozen=True)
class Cleaned:
    """Pairs of a shard that stay, as bytes of each file that they go to, and why others went."""

    files: tuple[bytes, ...]
    counts: Counter[str]


def tokenise_set(
    steps: TextSteps,
    raw: Mapping[str, Path],
    output: Mapping[str, Path],
    *,
    clean: bool,
    processes: int = 1,
) -> dict[str, int]:
    """Tokenise both sides of a set, dropping bad pairs if `clean`; returns the counts.

    `raw` and `output` name the source's and the target's file, in this order. Raises ValueError
    if the sides differ in length or nothing is left.
    """
    work = _TokeniseShard([Tokeniser(steps, language) for language in raw], steps, clean)
    return _write_cleaned(work, raw, list(output.values()), processes)


def segment_and_clean(
    steps: TextSteps,
    segmenters: Sequence[Segmenter],
    tokens: Mapping[str, Path],
    output: Sequence[Path],
    processes: int = 1,
) -> dict[str, int]:
    """Cut both sides of a set into subwords and drop bad pairs by these; returns the counts.

    `output` are the files for what is kept: source and target tokens, source and target subwords.
    Raises ValueError as `tokenise_set` does.
    """
    return _write_cleaned(_SegmentShard(segmenters, steps), tokens, output, processes)


@dataclass(frozen=True)
class _TokeniseShard:
    tokenisers: Sequence[Tokeniser]
    steps: TextSteps
    clean: bool

    def __call__(self, shard: PairShard) -> Cleaned:
        cleaner, kept = Cleaner(self.steps), []
        for number, *pair in shard.pairs():
            sides = tuple(self._tokenise(shard, number, side, pair[side]) for side in (0, 1))
            if not self.clean or cleaner.keep(*sides):
                kept.append(sides)
        return _cleaned(kept, cleaner)

    def _tokenise(self, shard: PairShard, number: int, side: int, line: str) -> str:
        try:
            return self.tokenisers[side].tokenise(line)
        except Exception as error:
            path = (shard.source, shard.target)[side].path
            raise RuntimeError(
                f"{path}, line {number}: the tokeniser stopped ({type(error).__name__}: {error});"
                " remove or mend the line"
            ) from error


@dataclass(frozen=True)
class _SegmentShard:
    segmenters: Sequence[Segmenter]
    steps: TextSteps

    def __call__(self, shard: PairShard) -> Cleaned:
        cleaner, kept = Cleaner(self.steps), []
        for _, *pair in shard.pairs():
            cut = [s.segment(line) for s, line in zip(self.segmenters, pair, strict=True)]
            if cleaner.keep(*cut):
                kept.append((*pair, *cut))
        return _cleaned(kept, cleaner)


def _cleaned(kept: list[tuple[str, ...]], cleaner: Cleaner) -> Cleaned:
    texts = ("".join(f"{line}\n" for line in lines).encode() for lines in zip(*kept, strict=True))
    return Cleaned(tuple(texts), cleaner.counts | Counter(kept=len(kept)))


def _write_cleaned(
    work: Callable[[PairShard], Cleaned],
    sides: Mapping[str, Path],
    output: Sequence[Path],
    processes: int,
) -> dict[str, int]:
    source, target = sides.values()
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        files = [stack.enter_context(replacing(path, "wb")) for path in output]
        for cleaned in in_order(work, pair_shards(source, target), processes):
            counts.update(cleaned.counts)
            # No text for any file where no pair of a shard stays.
            for file, text in zip(files, cleaned.files, strict=False):
                file.write(text)
        if not counts["kept"]:
            raise ValueError(f"no pair of {source} is left after cleaning: {dict(counts)}")
    return dict(counts)

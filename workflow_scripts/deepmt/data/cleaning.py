"""Clean training pairs by the rules of Moses' clean-corpus-n."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.data.line_batches import in_batches
from deepmt.data.lines import pair_files, replacing
from deepmt.data.subword import Segmenter
from deepmt.data.tokeniser import Tokeniser
from deepmt.settings.text_steps import TextSteps

MAX_WORD_CHARACTERS = 1000


def drop_reason(lengths: Iterable[int], max_tokens: int, max_ratio: float) -> str | None:
    """Return why sides of these lengths are not a training pair, or None; 0 = no limit."""
    shorter, longer = sorted(lengths)
    if shorter == 0:
        return "empty"
    if max_tokens and longer > max_tokens:
        return "too_long"
    return "ratio" if max_ratio and longer / shorter > max_ratio else None


class Cleaner:
    """Decide which tokenised pairs to keep, and count the others by reason.

    A pair is dropped if a side is empty, has more than `max_tokens` tokens or a token of more
    than 1,000 characters, or if one side has over `max_ratio` times the tokens of the other.
    """

    def __init__(self, steps: TextSteps) -> None:
        self.steps = steps
        self.counts: Counter[str] = Counter()

    def keep(self, source: str, target: str) -> bool:
        """Check if a training pair is kept."""
        sides = source.split(), target.split()
        reason = drop_reason(map(len, sides), self.steps.max_tokens, self.steps.max_ratio)
        if reason is None and any(len(t) > MAX_WORD_CHARACTERS for side in sides for t in side):
            reason = "word_too_long"
        self.counts[reason or "kept"] += 1
        return reason is None


Pairs = list[tuple[int, tuple[str, str]]]
"""Source and target lines with their line number."""
Cleaned = tuple[list[str], Counter[str]]
"""The text that a batch adds to each file, and the counts of kept and dropped pairs."""


def tokenise_split(
    steps: TextSteps,
    raw: Mapping[str, Path],
    output: Mapping[str, Path],
    *,
    clean: bool,
    processes: int = 1,
) -> dict[str, int]:
    """Tokenise both sides of a split, dropping bad pairs if `clean`; return the counts.

    `raw` and `output` name the source's and the target's file, in this order. Raises ValueError
    if the sides differ in length or no pair is left.
    """
    sides = [(str(path), Tokeniser(steps, language)) for language, path in raw.items()]
    work = partial(_tokenise, sides, steps, clean)
    return _write_cleaned(work, raw, list(output.values()), processes)


def segment_and_clean(
    steps: TextSteps,
    segmenters: Sequence[Segmenter],
    tokens: Mapping[str, Path],
    output: Sequence[Path],
    processes: int = 1,
) -> dict[str, int]:
    """Cut both sides of a split into subwords and drop bad pairs by these; return the counts.

    `output` are the files for what is kept: source and target tokens, source and target subwords.
    Raises ValueError as `tokenise_split` does.
    """
    return _write_cleaned(partial(_segment, segmenters, steps), tokens, output, processes)


def _tokenise(
    sides: Sequence[tuple[str, Tokeniser]], steps: TextSteps, clean: bool, pairs: Pairs
) -> Cleaned:
    cleaner, kept = Cleaner(steps), []
    for number, pair in pairs:
        tokens = []
        for (name, tokeniser), line in zip(sides, pair, strict=True):
            try:
                tokens.append(tokeniser.tokenise(line))
            except Exception as error:
                raise UserError(
                    f"{name}, line {number}: the tokeniser failed ({type(error).__name__}:"
                    f" {error}); remove or fix the line"
                ) from error
        if not clean or cleaner.keep(*tokens):
            kept.append(tokens)
    return _cleaned(kept, cleaner)


def _segment(segmenters: Sequence[Segmenter], steps: TextSteps, pairs: Pairs) -> Cleaned:
    cleaner, kept = Cleaner(steps), []
    for _, pair in pairs:
        cut = [s.segment(line) for s, line in zip(segmenters, pair, strict=True)]
        if cleaner.keep(*cut):
            kept.append([*pair, *cut])
    return _cleaned(kept, cleaner)


def _cleaned(kept: list[list[str]], cleaner: Cleaner) -> Cleaned:
    texts = ["\n".join([*lines, ""]) for lines in zip(*kept, strict=True)]
    return texts, cleaner.counts | Counter(kept=len(kept))


def _write_cleaned(
    work: Callable[[Pairs], Cleaned],
    sides: Mapping[str, Path],
    output: Sequence[Path],
    processes: int,
) -> dict[str, int]:
    source, target = sides.values()
    counts: Counter[str] = Counter()
    pairs = enumerate(pair_files(source, target), 1)
    with ExitStack() as stack:
        files = [stack.enter_context(replacing(path)) for path in output]
        for texts, counted in in_batches(work, pairs, processes, f"{source} (and {target})"):
            counts.update(counted)
            # A batch without any kept pair has no text for any file.
            for file, text in zip(files, texts, strict=False):
                file.write(text)
        if not counts["kept"]:
            raise UserError(f"no pair of {source} is left after cleaning: {dict(counts)}")
    return dict(counts)

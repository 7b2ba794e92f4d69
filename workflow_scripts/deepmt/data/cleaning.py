"""Which training pairs are kept: the rules of Moses' clean-corpus-n."""

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from deepmt.data.lines import pair_lines, read_lines, replacing
from deepmt.data.text import TextSteps, Tokeniser

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


def tokenise_set(
    steps: TextSteps, raw: Mapping[str, Path], output: Mapping[str, Path], *, clean: bool
) -> dict[str, int]:
    """Tokenise both sides of a set, dropping bad pairs if `clean`; returns the counts.

    `raw` and `output` name the source's and the target's file, in this order. Raises ValueError
    if the sides differ in length or nothing is left.
    """
    source_name, target_name = map(str, raw.values())
    pairs = pair_lines(
        *map(read_lines, raw.values()), source_name=source_name, target_name=target_name
    )
    tokenisers = [Tokeniser(steps, language) for language in raw]
    cleaner = Cleaner(steps)
    kept = 0
    with ExitStack() as stack:
        files = [stack.enter_context(replacing(path)) for path in output.values()]
        for pair in pairs:
            sides = [
                tokeniser.tokenise(line) for tokeniser, line in zip(tokenisers, pair, strict=True)
            ]
            if clean and not cleaner.keep(sides[0], sides[1]):
                continue
            kept += 1
            for file, line in zip(files, sides, strict=True):
                file.write(line + "\n")
        if not kept:
            raise ValueError(f"no pair of {source_name} is left after cleaning: {cleaner.counts}")
    return {"kept": kept} | {r: n for r, n in cleaner.counts.items() if r != "kept"}

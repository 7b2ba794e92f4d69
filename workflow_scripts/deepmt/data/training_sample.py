"""Draw a few training pairs as a split, to measure how well a model fits its training text.

Zhang et al. 2019 (Table 4) draw 3,000 pairs at random; so do we, but never more than the dev split
has, so that a small corpus spends no more on it than on dev.
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from deepmt.data.cleaning import Cleaner
from deepmt.data.lines import pair_files, read_lines, write_splits
from deepmt.data.raw_corpus import RawCorpus
from deepmt.data.subword import Segmenter
from deepmt.data.tokeniser import Tokeniser, steps_for
from deepmt.settings.spec import Data
from deepmt.settings.text_steps import SAMPLE, TextSteps

LARGEST = 3000
SEED = 1
SPARE = 4
"""Pairs drawn for each requested pair, since cleaning drops some."""

Pair = tuple[str, str]


def write_sample(
    settings: Data, raw: RawCorpus, dataset: Path, segmenters: Sequence[Segmenter]
) -> dict[str, int]:
    """Write raw/ and tok/ of the sample of a dataset; return the number of its pairs."""
    texts = {language: raw.file("train", language) for language in settings.languages}
    steps = steps_for(settings, "train", raw.tokenised)
    dev = sum(1 for _ in read_lines(raw.file("dev", settings.source)))
    original, tokenised = draw(texts, steps, min(LARGEST, dev), segmenters)
    for form, pairs in {"raw": original, "tok": tokenised}.items():
        named = ((SAMPLE, pair) for pair in pairs)
        write_splits(named, [SAMPLE], settings.languages, dataset / form)
    return {"kept": len(original)}


def draw(
    raw: Mapping[str, Path], steps: TextSteps, size: int, segmenters: Sequence[Segmenter] = ()
) -> tuple[list[Pair], list[Pair]]:
    """Draw raw and tokenised pairs that cleaning keeps, in the order of the training text.

    `raw` names the source's and the target's training file, in this order; it is read twice and
    never held in memory. The draw depends only on the number of lines. If cleaning counts subwords,
    it needs the segmenters of both sides.
    """
    total = sum(1 for _ in read_lines(next(iter(raw.values()))))
    order = random.Random(SEED).sample(range(total), min(total, SPARE * size))
    found = _pairs_at(raw, set(order))
    tokenisers = [Tokeniser(steps, language) for language in raw]
    cleaner = Cleaner(steps)
    kept: dict[int, Pair] = {}
    for number in order:
        if len(kept) == size:
            break
        source, target = (t.tokenise(s) for t, s in zip(tokenisers, found[number], strict=True))
        counted = [source, target]
        if steps.clean_on == "subwords":
            counted = [s.segment(line) for s, line in zip(segmenters, counted, strict=True)]
        if cleaner.keep(*counted):
            kept[number] = source, target
    return [found[number] for number in sorted(kept)], [kept[number] for number in sorted(kept)]


def _pairs_at(raw: Mapping[str, Path], numbers: set[int]) -> dict[int, Pair]:
    return {n: pair for n, pair in enumerate(pair_files(*raw.values())) if n in numbers}

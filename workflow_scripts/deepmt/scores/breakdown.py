"""Break scores down by word frequency in the training text and by sentence length.

The buckets are compare-mt's (Neubig et al. 2019) with its own limits, as in Liu et al. 2020,
Figure 3. BLEU within a bucket is ours: compare-mt's counts a missing 4-gram as a perfect score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deepmt.data.lines import words
from deepmt.data.subword import count_in
from deepmt.scores.scored_texts import Texts
from deepmt.scores.tokenised_bleu import MultiBleu


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """Represent one point of a curve."""

    quantity: Literal["word F1", "BLEU"]
    bucket: str
    """Occurrences of a word in the training text, or words of the reference: <10, [10,20) ..."""
    value: float | None
    """In percent; None for a bucket without words of the reference."""
    count: int
    """Words of the reference, or sentences."""


def by_bucket(texts: Texts, training: Path) -> list[Bucket]:
    """Return both breakdowns of a translation; `training` is the tokenised training text."""
    return by_frequency(texts, count_in([training])) + by_length(texts)


def by_frequency(texts: Texts, occurrences: Mapping[str, int]) -> list[Bucket]:
    """Return word F1 by frequency in the target side of the training text."""
    # Importing it takes more than a second.
    from compare_mt.bucketers import FreqWordBucketer

    bucketer = FreqWordBucketer(freq_counts=occurrences)
    hypotheses, reference = (
        list(map(words, side)) for side in (texts.hypotheses, texts.tokenised_reference)
    )
    [statistics], *_ = bucketer.calc_statistics(reference, [hypotheses])
    return [
        Bucket(
            quantity="word F1",
            bucket=name,
            value=100 * f1 if in_reference else None,
            count=int(in_reference),
        )
        for name, (_, in_reference, _, _, _, f1) in zip(
            bucketer.bucket_strs, statistics, strict=True
        )
    ]


def by_length(texts: Texts) -> list[Bucket]:
    """Return BLEU of the unmodified tokens, by the length of the reference in words."""
    from compare_mt.bucketers import LengthSentenceBucketer

    bucketer = LengthSentenceBucketer()
    hypotheses, reference = (
        list(map(words, side)) for side in (texts.hypotheses, texts.tokenised_reference)
    )
    parts = bucketer.create_bucketed_corpus(hypotheses, ref=reference)
    return [
        Bucket(quantity="BLEU", bucket=name, value=bleu(ours, theirs), count=len(ours))
        for name, (ours, theirs, _) in zip(bucketer.bucket_strs, parts, strict=True)
    ]


def bleu(hypotheses: Sequence[list[str]], reference: Sequence[list[str]]) -> float | None:
    """Return the BLEU of split lines, or None if there are none."""
    if not hypotheses:
        return None
    sides = [list(map(" ".join, lines)) for lines in (hypotheses, reference)]
    return float(MultiBleu().corpus_score(sides[0], [sides[1]]).score)

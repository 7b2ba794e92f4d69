"""Generate a corpus of English and German sentences with a synchronous grammar."""

import random
import re

from deepmt.data.grammar.rules import Writer

MIN_TOKENS, MAX_TOKENS = 4, 40


def generate(seed: int, sizes: dict[str, int]) -> dict[str, list[tuple[str, str]]]:
    """Write `sizes[split]` distinct (English, German) pairs for each split.

    No sentence of either language occurs twice. The smallest split is written first, so that
    the held-out splits stay the same whatever the size of the training split.
    """
    seen: set[str] = set()
    corpus: dict[str, list[tuple[str, str]]] = {split: [] for split in sizes}
    for split in sorted(sizes, key=lambda split: (sizes[split], split)):
        writer = Writer(random.Random(f"{seed} {split}"))
        while len(corpus[split]) < sizes[split]:
            pair = writer.sentence()
            usable = all(MIN_TOKENS <= len(tokens(side)) <= MAX_TOKENS for side in pair)
            if usable and seen.isdisjoint(pair):
                seen.update(pair)
                corpus[split].append(pair)
    return corpus


def tokens(text: str) -> list[str]:
    """Split a sentence into words and punctuation marks, as its length is counted."""
    return re.findall(r"'\w+|\w+(?:[-.,]\w+)*|[^\w\s]", text)

"""The word-for-word baseline: each English form becomes its likeliest German form."""

import re
from collections import defaultdict
from functools import cache

from deepmt.data.grammar import generate, tokens

# A corpus of its own, so that the dictionary has not seen the sentences that it translates.
SEED, NUM_PAIRS, NUM_ITERATIONS = 0x5EED, 4000, 5
MARKS = {",", ".", "?"}

Probabilities = dict[str, dict[str, float]]  # english form -> german form -> p(german | english)


def word_for_word(english: str) -> str:
    """Translate each word by the dictionary, in English order; copy marks and unknown words."""
    dictionary = _dictionary()
    sources = _decapitalised(tokens(english), dictionary)
    words = [dictionary.get(source, source) for source in sources]
    text = re.sub(r" ([,.?])", r"\1", " ".join(words))
    return text[0].upper() + text[1:]


@cache
def _dictionary() -> dict[str, str]:
    """Estimate p(german | english) by IBM Model 1 (Brown et al. 1993) and keep the best form."""
    pairs = generate(SEED, {"dictionary": NUM_PAIRS})["dictionary"]
    english, german = (_bodies([pair[side] for pair in pairs]) for side in (0, 1))
    cooccurring: dict[str, set[str]] = defaultdict(set)
    for sources, targets in zip(english, german, strict=True):
        for source in sources:
            cooccurring[source].update(targets)
    probabilities: Probabilities = {
        source: dict.fromkeys(sorted(targets), 1.0) for source, targets in cooccurring.items()
    }
    for _ in range(NUM_ITERATIONS):
        probabilities = _reestimated(probabilities, english, german)
    return {source: max(p, key=p.__getitem__) for source, p in probabilities.items()}


def _reestimated(
    probabilities: Probabilities, english: list[list[str]], german: list[list[str]]
) -> Probabilities:
    """Run one iteration of expectation maximisation."""
    expected: dict[str, dict[str, float]] = {
        source: dict.fromkeys(targets, 0.0) for source, targets in probabilities.items()
    }
    for sources, targets in zip(english, german, strict=True):
        for target in targets:
            total = sum(probabilities[source][target] for source in sources)
            for source in sources:
                expected[source][target] += probabilities[source][target] / total
    return {
        source: {target: count / sum(counts.values()) for target, count in counts.items()}
        for source, counts in expected.items()
    }


def _bodies(sentences: list[str]) -> list[list[str]]:
    """Take the words, without the marks; the first in the case that it has inside sentences."""
    split = [[token for token in tokens(text) if token not in MARKS] for text in sentences]
    inside = {word for words in split for word in words[1:]}
    return [_decapitalised(words, inside) for words in split]


def _decapitalised(words: list[str], known: set[str] | dict[str, str]) -> list[str]:
    lowered = words[0].lower()
    return [lowered if lowered in known or words[0] not in known else words[0], *words[1:]]

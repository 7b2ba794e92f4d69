"""Compare two systems by pairs of one seed, and decide if one is better (docs/protocol.md)."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from deepmt.judge.interval import Error, Judged, half_width
from deepmt.judge.lead_at_end import change_of, turns
from deepmt.judge.quality import BLEU, CHRF, TrainedSystem
from deepmt.measured.seeds import mean_and_spread
from deepmt.study.measures import PPL
from deepmt.study.questions import FEWEST_PAIRS


def sentence_error(one: TrainedSystem, other: TrainedSystem, seeds: tuple[int, ...]) -> list[Error]:
    """Return the standard error over the sentences of all test sets; none if they are not kept.

    It is unknown, so infinite, if there is one sentence.

    The difference is a ratio, sum of d over sum of n, of log probabilities d (the mean over seeds)
    and tokens n: its error is sqrt(N/(N-1) sum (d - r n)^2) / sum n.
    """
    both = one.kept.keys() & other.kept.keys() & {*seeds}
    known = [(one.kept[seed], other.kept[seed]) for seed in sorted(both)]
    if not known:
        return []
    tokens = np.concatenate([known[0][0][split].tokens for split in one.tokens])
    difference = np.mean(
        [np.concatenate([b[s].sums - a[s].sums for s in one.tokens]) for a, b in known],
        axis=0,
    )
    away = difference - difference.sum() / tokens.sum() * tokens
    count = len(tokens)
    if count == 1:
        return [Error(math.inf, 0)]
    size = math.sqrt(count / (count - 1) * float(away @ away)) / float(tokens.sum())
    return [Error(size, count - 1)]


Ending = Literal[
    "better in perplexity and chrF", "worse in perplexity and chrF",
    "better in perplexity only", "worse in perplexity only",
    "trains, the other fails", "fails, the other trains", "trains", "fails",
    "undecided", "not compared",
]  # fmt: skip
"""How a question about two systems, or about the training of one, can end."""
FAVOURABLE: tuple[Ending, ...] = (
    "better in perplexity and chrF", "better in perplexity only",
    "trains, the other fails", "trains",
)  # fmt: skip
UNEQUAL = 1.3
"""Ratio of training tokens above which a comparison of scores would measure the budget."""
UNDECIDED: Ending = "undecided"
NOT_COMPARED: Ending = "not compared"
ENDINGS: Mapping[tuple[bool, bool], Ending] = {
    (True, True): "better in perplexity and chrF",
    (True, False): "worse in perplexity and chrF",
    (False, True): "better in perplexity only",
    (False, False): "worse in perplexity only",
}
"""Of a decided difference: if chrF agrees, and if it is in favour."""
HOLDS_ZERO = "the interval includes 1"
"""Of the ratio of perplexities."""


@dataclass(frozen=True, kw_only=True)
class Contrast:
    """Represent one system less another, over the seeds that both have."""

    one: TrainedSystem
    other: TrainedSystem
    seeds: tuple[int, ...]
    log: Judged[Ending]
    """Difference of log perplexities over all test sets; the verdict is the contrast's."""
    errors: tuple[Error, ...]
    """Of that difference: over seeds, and over sentences where these are kept."""
    sets: Mapping[str, Judged]
    """The same on each test set, in an interval of its own."""
    chrf: Judged
    bleu: Judged
    change: float
    """Of the difference on dev over the last third of training."""

    @property
    def verdict(self) -> Ending:
        """Return the verdict."""
        return self.log.verdict

    @property
    def decided(self) -> bool:
        """Check if one of the two is better."""
        return self.verdict not in (UNDECIDED, NOT_COMPARED)

    @property
    def level(self) -> bool:
        """Check if there are enough pairs, and the interval holds zero."""
        return self.log.why == HOLDS_ZERO

    @property
    def too_few(self) -> bool:
        """Check if there are too few pairs for a verdict."""
        return self.log.why.endswith(" pairs")

    def at(self, half: float, least: int = FEWEST_PAIRS) -> "Contrast":
        """Return this contrast with that half of its interval, and its verdict."""
        return replace(self, log=decide(replace(self.log, half=half), self, least))


def contrast(
    one: TrainedSystem, other: TrainedSystem, seeds: Collection[int] | None = None
) -> Contrast:
    """Compare two systems over the seeds that both have, or over these; without a correction.

    A seed that one has from a GPU and the other from a CPU is no pair.
    """
    both = one.seeds.keys() & other.seeds.keys()
    asked = both if seeds is None else both.intersection(seeds)
    pairs = tuple(sorted(seed for seed in asked if one.block(seed) == other.block(seed)))

    def paired(of: Callable[[TrainedSystem, int], float]) -> tuple[float, tuple[Error, ...]]:
        return of_pairs([of(one, seed) - of(other, seed) for seed in pairs])

    def interval(measure: str, split: str = "") -> Judged:
        value, errors = paired(lambda system, seed: system.value(measure, seed, split))
        return plain(value, half_width(errors))

    known = other.tokens.keys() if pairs else ()
    value, errors = paired(lambda system, seed: system.value(PPL, seed))
    logged = [seed for seed in pairs if seed in one.dev and seed in other.dev]
    if comparable(one, other):
        errors = (*errors, *sentence_error(one, other, pairs))
    found = Contrast(
        one=one,
        other=other,
        seeds=pairs,
        log=Judged(value=value, verdict=UNDECIDED),
        errors=errors,
        sets={split: interval(PPL, split) for split in one.tokens if split in known},
        chrf=interval(CHRF),
        bleu=interval(BLEU),
        change=change_of(*([system.dev[seed] for seed in logged] for system in (one, other))),
    )
    return found.at(half_width(errors))


def unequal(tokens: Collection[int]) -> bool:
    """Check if numbers of training tokens differ so much that they forbid to compare scores."""
    return bool(tokens) and max(tokens) > UNEQUAL * min(tokens)


def comparable(one: TrainedSystem, other: TrainedSystem) -> bool:
    """Check if two systems have the same subwords and test sets."""
    return one.dataset == other.dataset and one.tokens == other.tokens


def of_pairs(differences: Iterable[float]) -> tuple[float, tuple[Error, ...]]:
    """Return the mean of paired differences and its standard error."""
    known = list(differences)
    if not known:
        return math.nan, (Error(math.inf, 0),)
    mean, spread = mean_and_spread(known)
    size = math.inf if spread is None else spread / math.sqrt(len(known))
    return mean, (Error(size, len(known) - 1),)


def plain(value: float, half: float) -> Judged:
    """Return a difference with its interval, higher or lower if that does not hold zero."""
    apart = "higher" if value > 0 else "lower"
    return Judged(value=value, half=half, verdict=apart if abs(value) > half else UNDECIDED)


def decide(log: Judged[Ending], found: Contrast, least: int) -> Judged[Ending]:
    """Return the verdict on a difference of log perplexities, by the rule of docs/protocol.md."""
    verdict, why = UNDECIDED, ""
    better = log.value < 0
    if not comparable(found.one, found.other):
        verdict, why = NOT_COMPARED, "their subwords or test sets differ"
    elif len(found.seeds) < least:
        why = f"{len(found.seeds)} of {least} pairs"
    elif abs(log.value) <= log.half:
        why = HOLDS_ZERO
    elif turns(log.value, log.half, found.change):
        why = "still moving"
    elif {one.verdict for one in found.sets.values()} >= {"higher", "lower"}:
        why = "the test sets disagree"
    elif against := [
        measure
        for measure, one in (("chrF", found.chrf), ("BLEU", found.bleu))
        if one.verdict == ("lower" if better else "higher")
    ]:
        why = f"{' and '.join(against)} lead{'s' * (len(against) == 1)} the other way"
    else:
        alike = found.chrf.verdict == ("higher" if better else "lower")
        verdict = ENDINGS[alike, better]
    return replace(log, verdict=verdict, why=why)

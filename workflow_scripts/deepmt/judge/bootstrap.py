"""Test whether two systems differ by more than chance: paired bootstrap (Koehn 2004)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sacrebleu.metrics.base import Metric
from sacrebleu.significance import PairedTest

from deepmt.base.errors import UserError

SAMPLES = 1000
SIGNIFICANT = 0.05
SEED = 12345
"""That of sacreBLEU's samples, unless SACREBLEU_SEED is set."""


@dataclass(frozen=True)
class Comparison:
    """Hold the scores of two systems under one metric, and the p-value of their difference."""

    baseline: float
    system: float
    p_value: float
    signature: str


def paired_bootstrap(
    baseline: Sequence[str],
    system: Sequence[str],
    reference: Sequence[str],
    *,
    metric: Metric,
) -> Comparison:
    """Compare two systems by sacreBLEU's paired bootstrap, seeded by SACREBLEU_SEED.

    Equal scores get p = 1. sacreBLEU itself would return 1 / (samples + 1), as if two models that
    both failed differed significantly.

    Raises:
        ValueError: if the numbers of segments differ.
    """
    if not len(baseline) == len(system) == len(reference):
        raise UserError(
            f"{len(baseline)} baseline, {len(system)} system and {len(reference)} reference"
            " segments: a paired test needs the same test set"
        )
    systems = [("baseline", baseline), ("system", system)]
    test = PairedTest(systems, {"metric": metric}, [reference], "bs", SAMPLES)
    signatures, results = test()
    [(name, signature)] = signatures.items()
    before, after = cast(list[Any], results[name])
    p_value = after.p_value if after.score != before.score else 1.0
    return Comparison(before.score, after.score, p_value, f"{name}|{signature.format(short=True)}")


def difference_interval(
    baseline: Sequence[str], system: Sequence[str], reference: Sequence[str], *, metric: Metric
) -> tuple[float, float]:
    """Return the 95 % interval of system less baseline over samples of the same sentences."""
    size = SAMPLES, len(reference)
    samples = np.random.default_rng(SEED).choice(len(reference), size=size)

    def scores(hypotheses: Sequence[str]) -> np.ndarray:
        counts = np.array(metric._extract_corpus_statistics(hypotheses, [reference]))
        sums = (counts[sample].sum(axis=0) for sample in samples)
        return np.array([metric._compute_score_from_stats(one).score for one in sums])

    low, high = np.quantile(scores(system) - scores(baseline), [0.025, 0.975])
    return float(low), float(high)

"""Test whether two systems differ by more than chance: paired bootstrap (Koehn 2004)."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sacrebleu.metrics.base import Metric
from sacrebleu.significance import PairedTest

from deepmt.base.errors import UserError

SAMPLES = 1000
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Comparison:
    """Hold the scores of two systems under one metric, and the p-value of their difference."""

    baseline: float
    system: float
    p_value: float
    low: float
    high: float
    """Ends of the 95 % interval of system less baseline."""
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
    kept: list[float] = []
    systems = [("baseline", baseline), ("system", system)]
    test = PairedTest(systems, {"metric": _keeping(metric, kept)}, [reference], "bs", SAMPLES)
    signatures, results = test()
    [(name, signature)] = signatures.items()
    before, after = cast(list[Any], results[name])
    p_value = after.p_value if after.score != before.score else 1.0
    # The last scores are those of the samples: the baseline's, then the system's.
    sampled = np.reshape(kept[-2 * SAMPLES :], (2, SAMPLES))
    low, high = map(float, np.quantile(sampled[1] - sampled[0], [0.025, 0.975]))
    text = f"{name}|{signature.format(short=True)}"
    return Comparison(before.score, after.score, p_value, low, high, text)


def _keeping(metric: Metric, kept: list[float]) -> Metric:
    """Derive a metric that also keeps the scores which it computes, of samples above all.

    sacreBLEU's paired test returns no interval of the difference.
    """

    def compute(self: Metric, stats: list[Any]) -> Any:
        found = kind._compute_score_from_stats(self, stats)
        kept.append(found.score)
        return found

    kind, found = type(metric), copy(metric)
    found.__class__ = type(kind.__name__, (kind,), {"_compute_score_from_stats": compute})
    return found

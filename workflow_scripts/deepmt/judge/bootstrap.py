"""Test whether two systems differ by more than chance: paired bootstrap (Koehn 2004)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from sacrebleu.metrics.base import Metric
from sacrebleu.significance import PairedTest

from deepmt.errors import UserError

SAMPLES = 1000
SIGNIFICANT = 0.05


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
    num_samples: int = SAMPLES,
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
    test = PairedTest(systems, {"metric": metric}, [reference], "bs", num_samples)
    signatures, results = test()
    [(name, signature)] = signatures.items()
    before, after = cast(list[Any], results[name])
    p_value = after.p_value if after.score != before.score else 1.0
    return Comparison(before.score, after.score, p_value, f"{name}|{signature.format(short=True)}")

"""The paired bootstrap tells a real difference from none."""

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, TER
from sacrebleu.significance import _compute_p_value

from deepmt.judge.significance import SAMPLES, paired_bootstrap
from deepmt.scores.tokenised_bleu import MultiBleu

REFERENCE = [f"Satz {i} hat {i * i} Wörter und endet hier" for i in range(60)]
WORSE = [line.replace("Wörter und", "Worte") for line in REFERENCE]


def test_a_system_that_is_better_in_every_segment_differs_significantly() -> None:
    comparison = paired_bootstrap(WORSE, REFERENCE, REFERENCE, metric=BLEU())
    assert comparison.baseline < comparison.system
    assert comparison.p_value < 0.05


def test_one_better_segment_of_sixty_is_no_significant_difference() -> None:
    nearly = [*REFERENCE[:-1], WORSE[-1]]
    assert paired_bootstrap(nearly, REFERENCE, REFERENCE, metric=BLEU()).p_value > 0.05


def test_equal_systems_do_not_differ_significantly() -> None:
    assert paired_bootstrap(WORSE, WORSE, REFERENCE, metric=BLEU()).p_value == 1


def test_the_bootstrap_refuses_systems_of_different_test_sets() -> None:
    with pytest.raises(ValueError, match="60 baseline, 59 system and 60 reference"):
        paired_bootstrap(WORSE, WORSE[1:], REFERENCE, metric=BLEU())


@pytest.mark.parametrize("metric", [MultiBleu(), TER()], ids=lambda m: type(m).__name__)
def test_every_metric_can_be_resampled_and_says_how(metric) -> None:
    comparison = paired_bootstrap(WORSE, REFERENCE, REFERENCE, metric=metric)
    assert comparison.p_value < 0.05
    assert f"bs:{SAMPLES}|rs:12345" in comparison.signature


def test_which_system_comes_first_changes_nothing_but_the_order() -> None:
    mixed = WORSE[:30] + REFERENCE[30:]
    there = paired_bootstrap(WORSE, mixed, REFERENCE, metric=MultiBleu())
    back = paired_bootstrap(mixed, WORSE, REFERENCE, metric=MultiBleu())
    assert (there.baseline, there.system) == (back.system, back.baseline)
    assert there.p_value == back.p_value


def test_sacrebleus_p_is_nearly_one_sided() -> None:
    """A tenth of equal systems have p < 0.05, and a twentieth an interval without zero."""
    draw, found = np.random.default_rng(1), []
    for difference in draw.standard_normal(4000):
        samples = difference + draw.standard_normal(1000)
        sizes = np.abs(samples)
        p_value = _compute_p_value(sizes - sizes.mean(), abs(difference))
        low, high = np.quantile(samples, [0.025, 0.975])
        found.append((p_value < 0.05, not low <= 0 <= high))
    assert np.mean(found, axis=0) == pytest.approx([0.1, 0.05], abs=0.015)

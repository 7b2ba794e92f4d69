"""A printed score of one seed: would a seed of ours lie there?"""

import numpy as np
import pytest
from scipy import stats

from deepmt.judge.printed import against_printed_seed
from deepmt.measured.seeds import mean_and_spread


def judged(printed: float, ours: list[float]):
    return against_printed_seed(printed, *mean_and_spread(ours), len(ours))


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [
        ([41.0], "undecided"),
        ([40.9, 41.0, 41.2], "reproduced"),
        ([39.0, 39.1, 39.2], "weaker"),
        ([43.0, 43.1, 43.2], "stronger"),
        # Wide intervals reproduce nothing.
        ([40.0, 41.0, 42.0], "undecided"),
        ([41.0, 41.02], "reproduced"),
    ],
)
def test_verdicts_follow_the_registered_rule(ours: list[float], verdict: str) -> None:
    assert judged(41.02, ours).verdict == verdict


def test_the_interval_is_that_of_one_more_seed() -> None:
    ours = [40.7, 41.0, 41.2]
    found = judged(41.02, ours)
    half = stats.t.ppf(0.975, 2) * np.std(ours, ddof=1) * (1 + 1 / 3) ** 0.5
    assert (found.value, found.half) == pytest.approx((np.mean(ours), half))


def test_a_seed_of_the_same_system_is_not_found_apart_in_more_than_5_percent() -> None:
    random = np.random.default_rng(2021)
    drawn = random.normal(41, 0.3, (4000, 4))
    apart = [judged(x[0], list(x[1:])).verdict in ("weaker", "stronger") for x in drawn]
    assert np.mean(apart) == pytest.approx(0.05, abs=0.01)

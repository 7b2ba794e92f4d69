"""Mean and deviation over seeds."""

import math

import pytest

from deepmt.metrics.spread import mean_and_spread


def test_the_spread_is_the_sample_standard_deviation() -> None:
    assert mean_and_spread([1.0, 2.0, 4.0]) == pytest.approx((7 / 3, math.sqrt(7 / 3)))


def test_a_single_value_has_no_spread() -> None:
    assert mean_and_spread([27.3]) == (27.3, None)


def test_the_mean_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        mean_and_spread([])

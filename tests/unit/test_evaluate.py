"""Perplexity is a number that a record can hold, however bad the model."""

import math

import pytest

from deepmt.train.evaluate import LARGEST_EXPONENT, exponential


@pytest.mark.parametrize("loss", [math.nan, math.inf, 1e6])
def test_a_hopeless_perplexity_is_the_largest(loss: float) -> None:
    assert exponential(loss) == math.exp(LARGEST_EXPONENT)


def test_any_other_perplexity_is_the_exponential() -> None:
    assert exponential(2.0) == math.exp(2.0)

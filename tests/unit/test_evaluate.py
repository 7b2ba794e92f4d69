"""Perplexity is a number that a record can hold, however bad the model."""

import math

import pytest

from deepmt.train.evaluate import LARGEST_EXPONENT, to_perplexity


@pytest.mark.parametrize("loss", [math.nan, math.inf, 1e6])
def test_a_hopeless_perplexity_is_the_largest(loss: float) -> None:
    assert to_perplexity(loss) == math.exp(LARGEST_EXPONENT)


def test_any_other_perplexity_is_the_to_perplexity() -> None:
    assert to_perplexity(2.0) == math.exp(2.0)

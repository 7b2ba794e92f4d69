"""Student's quantiles, Welch's intervals, and a mean of nothing."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepmt.judge.interval import Error, half_width, student
from deepmt.measured.seeds import mean_and_spread

PUBLISHED = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306,
             9: 2.262, 10: 2.228, 15: 2.131, 20: 2.086, 29: 2.045, 30: 2.042, 60: 2.000,
             120: 1.980}  # fmt: skip
"""Column of 97.5 % in printed tables of Student's t, e.g. Abramowitz and Stegun, Table 26.10."""
sizes = st.floats(0.01, 100)
freedoms = st.integers(1, 50)


@pytest.mark.parametrize(("freedom", "printed"), PUBLISHED.items())
def test_quantiles_are_the_printed_ones(freedom: int, printed: float) -> None:
    assert student(freedom) == pytest.approx(printed, abs=5.1e-4)


@given(sizes, freedoms)
def test_one_term_has_students_interval(size: float, freedom: int) -> None:
    assert half_width([Error(size, freedom)]) == pytest.approx(student(freedom) * size)


@given(sizes, sizes, freedoms, freedoms)
def test_freedom_of_a_difference_lies_between_the_smaller_and_the_sum(
    a: float, b: float, m: int, n: int
) -> None:
    factor = half_width([Error(a, m), Error(b, n)]) / math.hypot(a, b)
    assert student(m + n) - 1e-9 <= factor <= student(min(m, n)) + 1e-9


def test_welchs_example_of_equal_spreads_has_the_freedom_of_both() -> None:
    assert half_width([Error(1, 2), Error(1, 2)]) == pytest.approx(student(4) * math.sqrt(2))
    assert half_width([Error(1, 2), Error(3, 2)]) == pytest.approx(student(2) * math.sqrt(10))


@given(sizes, sizes, freedoms)
def test_a_common_spread_counts_its_freedom_once(a: float, b: float, freedom: int) -> None:
    common = [Error(a, freedom, "pooled"), Error(b, freedom, "pooled")]
    assert half_width(common) == pytest.approx(student(freedom) * math.hypot(a, b))


def test_an_unknown_spread_decides_nothing_and_a_count_has_no_noise() -> None:
    assert half_width([Error(0.1, 2), Error(0.1, 0)]) == math.inf
    assert half_width([Error(0.1, 0.9)]) == math.inf
    assert half_width([]) == half_width([Error(0, 2)]) == 0


def test_the_mean_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        mean_and_spread([])


@pytest.mark.parametrize("size", [math.inf, math.nan])
def test_an_error_that_is_not_finite_has_an_interval_without_end(size: float) -> None:
    assert half_width([Error(0.1, 2), Error(size, 2)]) == math.inf


def test_the_largest_perplexity_has_an_interval() -> None:
    assert half_width([Error(1e304, 2), Error(1e303, 2)]) == pytest.approx(
        1e304 * half_width([Error(1.0, 2), Error(0.1, 2)])
    )


def test_an_infinite_value_has_no_spread() -> None:
    assert mean_and_spread([math.inf, 3.0]) == (math.inf, None)

"""The spread of few seeds is the pooled one of their scale, and no spread is too small."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepmt.judge.interval import EXACT, half_width
from deepmt.judge.standard_error import FLOOR, Sample, pool, standard_error

spreads = st.lists(st.floats(0.05, 5), min_size=1, max_size=20)


def samples(of: list[float], seeds: int = 3, value: float = 30.0, unit: str = "BLEU"):
    return [Sample(unit, f"s{n}", value, spread, seeds) for n, spread in enumerate(of)]


@given(spreads, st.integers(2, 5))
def test_the_pooled_spread_is_the_root_mean_square(of, seeds: int) -> None:
    found = pool(samples(of, seeds))["BLEU"]
    assert 0.5 * found.tolerances == pytest.approx(math.sqrt(sum(s * s for s in of) / len(of)))
    assert (seeds - 1) * (1 - 1e-9) <= found.freedom + 1 <= (seeds - 1) * len(of) * (1 + 1e-9)


def test_equal_spreads_have_their_sum_of_freedoms_less_one_and_an_outlier_has_its_own() -> None:
    assert pool(samples([0.4] * 10))["BLEU"].freedom == pytest.approx(19)
    assert pool(samples([0.05] * 10 + [50]))["BLEU"].freedom == pytest.approx(1, abs=0.01)


def test_several_columns_of_a_system_count_once() -> None:
    found = pool([Sample("BLEU", "s", 30.0, spread, 3) for spread in (0.3, 0.4)])["BLEU"]
    assert found.freedom == pytest.approx(1)
    assert 0.5 * found.tolerances == pytest.approx(math.hypot(0.3, 0.4) / 2**0.5)


def test_units_are_pooled_apart_and_lone_seeds_not_at_all() -> None:
    lone = Sample("BLEU", "s", 30.0, None, 1)
    assert set(pool([*samples([1.0], unit="perplexity"), lone])) == {"perplexity"}


def test_the_spread_of_a_perplexity_grows_with_it() -> None:
    pooled = pool(samples([0.3], value=10.0, unit="perplexity"))
    error = standard_error(Sample("perplexity", "", 100.0, None, 1), pooled)
    assert error.size == pytest.approx(3.0)


@pytest.mark.parametrize(("seeds", "spread"), [(1, None), (2, 0.0), (2, 9.0)])
def test_fewer_than_three_seeds_take_the_pooled_spread(seeds: int, spread) -> None:
    pooled = pool(samples([0.4] * 10))
    error = standard_error(Sample("BLEU", "", 30.0, spread, seeds), pooled)
    assert (error.size, error.freedom) == pytest.approx((0.4 / math.sqrt(seeds), 19))
    assert error.spread == "pooled BLEU"


@pytest.mark.parametrize(("spread", "own"), [(0.0, FLOOR * 0.5), (0.4, 0.4)])
def test_three_seeds_have_their_own_spread_above_a_floor(spread: float, own: float) -> None:
    error = standard_error(Sample("BLEU", "", 30.0, spread, 3), pool(samples([9.0] * 10)))
    assert (error.size, error.freedom, error.spread) == (pytest.approx(own / 3**0.5), 2, "")


def test_a_pool_of_no_spread_has_the_floor() -> None:
    assert pool(samples([0.0] * 3))["BLEU"].tolerances == pytest.approx(FLOOR)


def test_without_spreads_the_error_is_unknown_and_a_count_has_none() -> None:
    assert standard_error(Sample("BLEU", "", 30.0, None, 1), {}).freedom == 0
    assert standard_error(Sample("million parameters", "", 62.0, None, 0), {}) == EXACT


def test_a_spread_that_is_no_number_is_unknown() -> None:
    sample = Sample("BLEU", "s", 30.0, math.nan, 3)
    pooled = pool([*samples([0.4] * 10), sample])
    assert pooled == pool(samples([0.4] * 10))
    assert standard_error(sample, pooled) == standard_error(sample._replace(spread=None), pooled)
    assert standard_error(sample, {}).freedom == 0


@pytest.mark.parametrize("value", [math.inf, 1e304])
def test_any_perplexity_has_an_interval(value: float) -> None:
    sample = Sample("perplexity", "s", value, 1.0, 3)
    pooled = pool([*samples([0.3], value=10.0, unit="perplexity"), sample])
    width = half_width([standard_error(sample, pooled)] * 2)
    assert width == math.inf if math.isinf(value) else 0 < width < math.inf

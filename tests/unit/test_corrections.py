"""Corrections for the number of contrasts: printed factors, Holm's steps, moderated spreads."""

import math

import numpy as np
import pytest
from scipy import stats

from deepmt.judge.corrections import holm, largest_range, largest_t, moderated
from deepmt.judge.interval import Error, half_width, student

# Dunnett (1964), Table II: two-sided, 5 %; systems besides the baseline, degrees of freedom.
DUNNETT = {(2, 6): 2.86, (3, 8): 2.88, (5, 12): 2.90, (9, 20): 2.95}


@pytest.mark.parametrize(("systems", "freedom"), DUNNETT)
def test_spreads_of_their_own_cost_a_little_more_than_one_for_all(systems: int, freedom) -> None:
    found = largest_t([freedom] * systems)
    assert DUNNETT[systems, freedom] < found < 1.04 * DUNNETT[systems, freedom]


def test_with_spreads_that_are_known_the_factor_is_dunnetts() -> None:
    # Dunnett (1964), Table II, infinite degrees of freedom.
    assert largest_t([1e6] * 5) == pytest.approx(2.51, abs=0.01)
    assert largest_t([1e6]) == pytest.approx(1.96, abs=0.01)


def test_one_contrast_has_students_factor_and_two_systems_tukeys() -> None:
    assert largest_t([4]) == pytest.approx(student(4), rel=0.01)
    assert largest_range(2, 4.0) == pytest.approx(student(4), rel=1e-3)


def decisions(values: list[float], errors: list[Error]) -> list[bool]:
    levels = holm(values, errors)
    return [
        abs(value) > half_width([error], level)
        for value, error, level in zip(values, errors, levels, strict=True)
    ]


def test_intervals_decide_what_holm_decides() -> None:
    random = np.random.default_rng(1979)
    for _ in range(200):
        values = list(random.normal(0, 3, 4))
        errors = [Error(1.0, 3)] * 4
        chances = [2 * stats.t.sf(abs(value), 3) for value in values]
        expected, left = [False] * 4, 4
        for number in np.argsort(chances):
            if chances[number] > 0.05 / left:
                break
            expected[number], left = True, left - 1
        assert decisions(values, errors) == expected


def test_holm_stops_at_the_first_interval_that_holds_zero() -> None:
    """Intervals round degrees of freedom down, which can turn a decision."""
    first, second = Error(1.0, 3.97), Error(1.0, 999.0)
    value = (student(3.97, 0.975) + student(3, 0.975)) / 2
    assert decisions([value, 2.13], [first, second]) == [False, False]


def test_a_contrast_that_has_not_been_run_counts_among_those_that_are_corrected_for() -> None:
    one, unknown = Error(1.0, 3), Error(math.inf, 0)
    assert holm([9.0, 0.0, 0.0], [one, unknown, unknown])[0] == pytest.approx(1 - 0.05 / 3)


def test_equal_spreads_become_one_and_unequal_ones_stay_apart() -> None:
    alike = moderated([(1.0, 2), (1.1, 2), (0.9, 2), (0.0, 0)])
    assert len({error.size for error in alike}) == 1
    assert alike[0].freedom == 6
    apart = moderated([(s, 20) for s in (0.1, 1.0, 10.0, 100.0)])
    assert [error.size for error in apart] == pytest.approx([0.1, 1.0, 10.0, 100.0], rel=0.1)


def test_the_common_spread_is_found_again() -> None:
    """Variances as Smyth's model has them: scaled inverse chi-square around s0^2 = 4, d0 = 8."""
    random = np.random.default_rng(2004)
    truth = 4 * 8 / random.chisquare(8, 40_000)
    drawn = np.sqrt(truth * random.chisquare(2, 40_000) / 2)
    found = moderated([(spread, 2) for spread in drawn])
    expected = np.sqrt((8 * 4 + 2 * drawn**2) / 10)
    assert [error.size for error in found] == pytest.approx(expected, rel=0.05)
    assert found[0].freedom == pytest.approx(10, rel=0.1)


def test_without_two_spreads_nothing_is_borrowed() -> None:
    assert moderated([(0.5, 2), (0.0, 0)]) == [Error(0.5, 2), Error(0.0, 0)]

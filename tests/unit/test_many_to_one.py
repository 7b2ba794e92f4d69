"""Dunnett's simultaneous intervals: printed factors, coverage, and what they need."""

import math

import numpy as np
import pytest

from deepmt.judge.interval import student
from deepmt.judge.many_to_one import differences

# Dunnett (1964), Table II: two-sided, 5 %; systems besides the baseline, degrees of freedom.
PRINTED = {(2, 6): 2.86, (3, 8): 2.88, (5, 12): 2.90, (9, 20): 2.95}


@pytest.mark.parametrize(("systems", "freedom"), PRINTED)
def test_half_widths_have_the_printed_factor(systems: int, freedom: int) -> None:
    seeds = freedom // (systems + 1) + 1
    values = np.linspace(-1, 1, seeds)
    found = differences({str(n): values + n for n in range(systems)}, values)
    error = values.std(ddof=1) * math.sqrt(2 / seeds)
    for n, one in enumerate(found.values()):
        assert one.value == pytest.approx(n)
        factor = one.half / error
        assert factor == pytest.approx(PRINTED[systems, freedom], abs=0.02)


def test_one_system_has_students_interval() -> None:
    one, other = [29.0, 30.0, 31.0], [27.0, 28.0, 29.0]
    found = differences({"a": one}, other)["a"]
    assert found.high - found.value == pytest.approx(student(4) * math.sqrt(2 / 3), rel=5e-3)


def test_5_percent_of_families_of_equal_systems_have_a_decision() -> None:
    random, systems, seeds = np.random.default_rng(11), 7, 3
    values = random.normal(0, 1, (20_000, systems + 1, seeds))
    # Half widths are a factor, the same for every family, times the pooled spread.
    spread = np.sqrt(values.var(axis=2, ddof=1).mean(axis=1))
    baseline, *others = values[0]
    one = differences({str(n): own for n, own in enumerate(others)}, baseline)["0"]
    half = one.half * spread / spread[0]
    away = np.abs(values.mean(axis=2)[:, 1:] - values.mean(axis=2)[:, :1]).max(axis=1)
    assert (away > half).mean() == pytest.approx(0.05, abs=0.006)


def test_a_system_with_one_seed_borrows_the_spread_of_the_others() -> None:
    found = differences({"one seed": [35.0], "three": [30.0, 31.0, 32.0]}, [29.0, 30.0, 31.0])
    assert found["one seed"].half > found["three"].half
    assert found["one seed"].low < 35 - 30 < found["one seed"].high


def test_one_seed_of_each_decides_nothing() -> None:
    found = differences({"a": [30.0], "b": [1.0]}, [29.0])
    assert found["a"].value == 1
    assert math.isinf(found["a"].half)
    assert differences({}, [29.0]) == {}

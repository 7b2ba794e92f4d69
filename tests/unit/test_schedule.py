"""Rates of the first updates are those that toolkits were seen to use."""

from typing import Any

import pytest

from deepmt.train.learning_rate import learning_rate
from tiny import tiny_spec

LR = 2e-3


def rates(**changes: Any) -> list[float]:
    """The rates of twelve updates with a warm-up of ten, relative to the highest."""
    recipe = {"lr": LR, "warmup": 10} | changes
    spec = tiny_spec(**{f"training__{key}": value for key, value in recipe.items()})
    return [learning_rate(spec, update) / LR for update in range(1, 13)]


@pytest.mark.parametrize(
    ("changes", "first", "tenth", "highest"),
    [
        ({"first_rate": "zero", "schedule_from": 0}, 0, 0.9, [11]),
        ({"first_rate": "zero"}, 0.1, 1, [10]),
        ({"first_rate": "peak", "schedule_from": 0}, 1, 0.9, [1, 11]),
    ],
    ids=["fairseq, transformers", "OpenNMT-py, eole, sockeye, Marian", "joeynmt"],
)
def test_warm_up_begins_as_in_that_toolkit(
    changes: dict[str, Any], first: float, tenth: float, highest: list[int]
) -> None:
    """Measured with a warm-up of ten: rates of updates 1 and 10, and where the highest is."""
    found = rates(**changes)
    assert found[0] == pytest.approx(first)
    assert found[9] == pytest.approx(tenth)
    assert [n for n, rate in enumerate(found, 1) if rate == pytest.approx(1)] == highest


def test_by_default_it_begins_at_1e_7() -> None:
    assert rates(schedule_from=0)[0] == pytest.approx(1e-7 / LR)
    assert rates()[0] == pytest.approx((1e-7 + (LR - 1e-7) / 10) / LR)

"""Whether a lead still changed when training ended, and what that does to a claim."""

import math

import pytest
from invented import curves_of
from made_up_cells import cell, check, evidence

from deepmt.judge.check_sides import MOVING, compare
from deepmt.judge.lead_at_end import still_moving
from deepmt.measured.dev_progress import LogDev, log_dev
from deepmt.measured.training_curves import TrainingCurves


def seeds(before: float, end: float, spread: float = 0.01) -> list[LogDev]:
    return [LogDev(math.log(before), math.log(end) + spread * away) for away in (-1, 0, 1)]


def by_number(logs: list[LogDev]) -> dict[int, LogDev]:
    return dict(enumerate(logs, 1))


def test_dev_is_read_at_two_thirds_and_at_the_end() -> None:
    dev = {"update": [200, 400, 600], "ppl": [9.0, 5.0, 4.0], "loss": [1.0] * 3}

    def read(dev: dict[str, list] | None) -> LogDev | None:
        return log_dev(TrainingCurves(**curves_of("p.r1", updates=600, dev=dev)))

    assert read(dev) == (math.log(5.0), math.log(4.0))
    assert read(None) is None
    assert read(dev | {"update": [500, 550, 600]}) is None


@pytest.mark.parametrize(
    ("one", "other", "moving"),
    [
        # Both fall alike: their ratio stays.
        (seeds(10, 8), seeds(12, 9.6), False),
        # The second catches up by a seventh, to a lead of a fifth: again would leave a lead.
        (seeds(10, 8), seeds(14, 9.6), False),
        # By a third, to a lead of a fifth: again would turn it round.
        (seeds(10, 8), seeds(16, 9.6), True),
        # By an eighth, to a lead of 0.118: what again would leave lies within the interval.
        (seeds(10, 8), seeds(12.8, 9.0), True),
        # No lead: the seeds differ as much.
        (seeds(10, 8), seeds(15, 10, spread=0.2), False),
        # The lead grows.
        (seeds(10, 8), seeds(11, 9.6), False),
        ([], seeds(15, 10), False),
    ],
)
def test_a_lead_moves_if_as_much_change_again_would_end_it(
    one: list[LogDev], other: list[LogDev], moving: bool
) -> None:
    assert still_moving(one, other, {}) == moving


@pytest.mark.parametrize(
    ("column", "dev", "status"),
    [
        ("bleu", seeds(16, 9.6), "undecided"),
        ("bleu", seeds(12, 9.6), "holds"),
        ("speed", seeds(16, 9.6), "holds"),
    ],
)
def test_a_claim_of_quality_is_undecided_while_its_lead_moves(column, dev, status) -> None:
    value = {"bleu": (30.0, 20.0), "speed": (3.0, 1.0)}[column]
    known = evidence(
        *(cell(f"{name}.{column}", v, 0.1) for name, v in zip("ab", value, strict=True)),
        dev={"run-a": by_number(seeds(10, 8)), "run-b": by_number(dev)},
    )
    found = compare(check(of=f"a.{column}", above=f"b.{column}"), known)
    assert found.status == status
    assert (MOVING in found.text) == (status == "undecided")

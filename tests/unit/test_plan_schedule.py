"""Wall time of many runs on several machines."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepmt.estimate.schedule import Schedule, Task, schedule

HOURS = st.lists(st.integers(1, 40), min_size=1, max_size=9)


def of(hours: list[int], machines: int) -> Schedule:
    return schedule([Task(name=str(n), hours=h) for n, h in enumerate(hours)], machines)


@settings(deadline=None, max_examples=50)
@given(HOURS, st.integers(1, 6))
def test_nothing_beats_the_longest_run_nor_the_total_shared(
    hours: list[int], machines: int
) -> None:
    found = of(hours, machines)
    assert found.least == max(max(hours), sum(hours) / machines)
    assert found.hours >= found.least - 1e-9


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=6), st.integers(1, 4))
def test_it_is_within_four_thirds_of_the_best(hours: list[int], machines: int) -> None:
    def greedy(order: tuple[int, ...]) -> int:
        loads = [0] * machines
        for one in order:
            loads[loads.index(min(loads))] += one
        return max(loads)

    best = min(map(greedy, permutations(hours)))
    assert best <= of(hours, machines).hours <= 4 / 3 * best


@settings(deadline=None, max_examples=50)
@given(HOURS, st.integers(1, 6))
def test_no_machine_does_two_runs_at_once(hours: list[int], machines: int) -> None:
    found = of(hours, machines)
    for moment in found.starts.values():
        running = [
            start <= moment < start + hours[int(name)] for name, start in found.starts.items()
        ]
        assert sum(running) <= machines


def test_made_up_text_is_waited_for_and_begun_first() -> None:
    maker, reader = Task(name="maker", hours=2), Task(name="reader", hours=3, after=("maker",))
    others = [Task(name=name, hours=4) for name in "ab"]
    found = schedule([reader, *others, maker], machines=2)
    assert found.starts["maker"] == 0
    assert found.starts["reader"] >= 2
    assert found.least == pytest.approx(13 / 2)


def test_machines_that_wait_for_one_go_on_after_it() -> None:
    readers = [Task(name=name, hours=1, after=("maker",)) for name in "ab"]
    found = schedule([*readers, Task(name="maker", hours=2)], machines=2)
    assert found.hours == found.least == 3


def test_what_is_done_already_is_not_waited_for() -> None:
    assert schedule([Task(name="reader", hours=1, after=("maker",))], 1).hours == 1


def test_less_than_one_machine_is_refused() -> None:
    with pytest.raises(ValueError, match="0 machines"):
        schedule([], 0)

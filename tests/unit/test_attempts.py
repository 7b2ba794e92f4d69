"""However often a run was interrupted, its log gives one training curve."""

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from deepmt.measured.attempts import sections


def start() -> dict[str, Any]:
    return {"event": "start"}


def resumed(update: int) -> dict[str, Any]:
    return {"event": "resumed", "update": update}


def dev(update: int, ppl: float) -> dict[str, Any]:
    return {"event": "dev", "update": update, "ppl": ppl}


def dev_of(*events: dict[str, Any]) -> dict[int, float]:
    found = sections(events)["dev"]
    return dict(zip(found["update"], found["ppl"], strict=True))


def test_what_a_resumed_attempt_repeats_counts_as_it_was_the_last_time() -> None:
    first = [start(), dev(2, 9.0), dev(4, 8.0), dev(6, 7.0)]
    assert dev_of(*first, start(), resumed(3), dev(4, 5.0)) == {2: 9.0, 4: 5.0}


def test_an_attempt_that_is_not_resumed_begins_anew() -> None:
    log = [start(), dev(2, 9.0), dev(4, 8.0), start(), {"event": "anew"}, dev(2, 3.0)]
    assert dev_of(*log) == {2: 3.0}


def test_an_attempt_that_was_killed_before_it_resumed_takes_nothing_away() -> None:
    log = [start(), dev(2, 9.0), start(), start(), resumed(2), dev(4, 8.0)]
    assert dev_of(*log) == {2: 9.0, 4: 8.0}


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=5))
def test_interrupted_runs_have_the_training_curve_of_an_uninterrupted_one(
    breaks: list[tuple[int, int]],
) -> None:
    reached, log = 0, [start()]
    for ends, loses in [*breaks, (20, 0)]:
        log += [dev(update, 100.0 + update) for update in range(reached + 1, ends + 1)]
        reached = max(0, max(reached, ends) - loses)
        log += [start()] + ([resumed(reached)] if reached else [])
    log += [dev(update, 100.0 + update) for update in range(reached + 1, 21)]
    assert dev_of(*log) == {update: 100.0 + update for update in range(1, 21)}


def test_a_number_that_is_none_is_null_in_a_training_curve() -> None:
    assert dev_of(start(), dev(2, math.nan), dev(4, math.inf)) == {2: None, 4: None}


def test_training_perplexity_is_that_of_the_looks_and_of_nothing_else() -> None:
    looks = [{"event": "training", "update": 5, "loss": 4.0, "ppl": 50.0}]
    told = [{"event": "checkpoint", "update": 4, "loss": 4.5}]
    assert sections([start(), *told, *looks])["progress"] == {
        "update": [5],
        "loss": [4.0],
        "ppl": [50.0],
    }


def test_of_too_many_looks_some_are_kept_to_the_last() -> None:
    updates = list(dev_of(start(), *(dev(update, 9.0) for update in range(1, 1002))))
    assert updates == list(range(1, 1002, 5))

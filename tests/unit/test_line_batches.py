"""Lines in batches, and work on them by several processes."""

import errno
import os
import time
from multiprocessing import active_children

import pytest

from deepmt.base.errors import UserError
from deepmt.data import line_batches
from deepmt.data.line_batches import AHEAD, in_batches


@pytest.fixture(autouse=True)
def three_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_batches, "LINES", 3)


def test_few_batches_are_begun_before_their_turn() -> None:
    begun = []
    results = in_batches(slow_first, (begun.append(n) or n for n in range(90)), 2, "corpus")
    next(results)
    assert len(begun) <= 3 * (2 * AHEAD + 1)
    results.close()  # type: ignore[attr-defined]


def test_a_killed_process_is_an_error_that_names_the_lines() -> None:
    with pytest.raises(UserError, match=r"corpus, lines 1 to 3, or soon after: .* killed"):
        list(in_batches(die, range(9), 2, "corpus"))


def test_no_process_is_left_where_too_few_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    forks = iter([os.fork, refused])
    monkeypatch.setattr(os, "fork", lambda: next(forks)())
    with pytest.raises(UserError, match=r"^corpus: cannot start 2 processes .*; use fewer threads"):
        list(in_batches(len, range(9), 2, "corpus"))
    for process in active_children():
        process.join(10)
    assert not active_children()


@pytest.mark.parametrize("processes", [1, 2])
def test_whatever_goes_wrong_says_in_which_lines(processes: int) -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        list(in_batches(divide, range(8), processes, "corpus"))
    assert raised.value.__notes__ == ["Raised in corpus, lines 7 to 8."]


def refused() -> int:
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def slow_first(batch: list[int]) -> list[int]:
    time.sleep(0.1 if 0 in batch else 0)
    return batch


def divide(batch: list[int]) -> float:
    return 1 / (7 - batch[-1])


def die(batch: list[int]) -> None:
    os._exit(9)

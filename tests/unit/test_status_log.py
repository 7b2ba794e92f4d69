"""What the end of a log tells, however long, torn or strange it is; and who is alive."""

import json
import os
from pathlib import Path
from typing import Any

import made_up_status as made_up
import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_status import NOW, event, moment, position, start, wanted, write_log

from deepmt.status import life
from deepmt.status.pace import pace
from deepmt.status.tail import TAIL, read_tail

LINES = st.lists(st.integers(0, 3000), max_size=25)
"""Lengths of the lines of an attempt."""


@settings(deadline=None)
@given(st.lists(LINES, min_size=1, max_size=6))
def test_the_start_of_the_last_attempt_is_found_wherever_it_lies(
    tmp_path_factory: pytest.TempPathFactory, attempts: list[list[int]]
) -> None:
    log = [
        line
        for attempt, lengths in enumerate(attempts, 1)
        for line in [start(attempt, f"h{attempt}"), *(padded(attempt, n) for n in lengths)]
    ]
    path = write_log(tmp_path_factory.mktemp("root"), wanted(), *log)
    tail = read_tail(path)
    assert tail.opening == start(len(attempts), f"h{len(attempts)}")
    assert list(tail.events) == log[-len(tail.events) :]
    assert tail.events[-1] == log[-1]


def padded(attempt: int, length: int) -> dict[str, Any]:
    return event("gradients", attempt, encoder="x" * length)


def test_little_is_read_of_a_long_log(tmp_path: Path) -> None:
    lines = [start(), start(2), *(padded(2, 900) for _ in range(10_000))]
    path = write_log(tmp_path, wanted(), *lines)
    before = bytes_read()
    assert read_tail(path).opening == start(2)
    assert path.stat().st_size > 9e6
    assert bytes_read() - before < 10 * TAIL


def bytes_read() -> int:
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("rchar")))


TORN = [b'{"event": "prog', b"\x00\xff\n", b"17\n[]\n{}\nnull\n", b'{"event": 3, "attempt": 1}\n']


@pytest.mark.parametrize("damage", TORN)
def test_what_is_no_whole_event_is_passed_over(tmp_path: Path, damage: bytes) -> None:
    tail = read_tail(write_log(tmp_path, wanted(), start(), position(10), damage))
    assert tail.events == (start(), position(10))
    between = read_tail(write_log(tmp_path, wanted(), start(), damage + b"\n", position(10)))
    assert between.events == (start(), position(10))


@pytest.mark.parametrize("text", [b"", b"\n", *TORN])
def test_a_log_may_hold_no_event_at_all(tmp_path: Path, text: bytes) -> None:
    tail = read_tail(write_log(tmp_path, wanted(), text))
    assert (tail.events, tail.opening, tail.last) == ((), None, "")


@settings(deadline=None)
@given(st.lists(st.integers(1, 500), min_size=2, unique=True), st.floats(0.01, 100))
def test_pace_is_the_wall_time_of_an_update(updates: list[int], seconds: float) -> None:
    found = pace([position(update, seconds=seconds) for update in sorted(updates)])
    assert found is not None
    assert found.seconds == pytest.approx(seconds, rel=1e-5)
    assert found.tokens == pytest.approx(50 / seconds, rel=1e-5)


@settings(deadline=None)
@given(st.integers(1, 18), st.floats(-1e9, 1e9).filter(lambda jump: abs(jump) > 300))
def test_a_clock_that_jumps_leaves_the_pace_as_it_was(after: int, jump: float) -> None:
    log = [position(n, time=NOW + 2 * n + (jump if n > after else 0)) for n in range(20)]
    found = pace(log)
    assert found is not None
    assert found.seconds == pytest.approx(2.0)


def test_looks_at_the_dev_set_count_and_a_clock_turned_back_does_not() -> None:
    def second(time: float) -> float:
        found = pace([position(10, time=NOW), position(20, time=NOW + time)])
        assert found is not None
        return found.seconds

    assert second(50) == 5.0  # 20 seconds of updates, 30 of looks
    assert second(-50) == second(1e6) == 2.0


def test_the_time_between_two_attempts_is_no_time_of_an_update() -> None:
    log = [position(10), position(20), position(10, 2, time=NOW + 1e5)]
    assert pace(log) == pace(log[:2])
    assert pace(log[1:]) is None


def test_lines_of_a_later_version_are_no_hindrance() -> None:
    strange = [event("aurora", update=15, seconds="many", time=None), event("eclipse", light=0)]
    known = [position(10), position(20)]
    assert pace([known[0], *strange, known[1]]) == pace(known)


def test_a_lock_is_seen_as_long_as_it_is_held(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert not life.moment(tmp_path).holds(lock)
    with FileLock(lock):
        assert life.moment(tmp_path).holds(lock)
    assert not life.moment(tmp_path).holds(lock)


def test_a_lock_is_read_from_the_line_of_the_kernel() -> None:
    lines = ["1: FLOCK  ADVISORY  WRITE 9604 fe:00:2162713 0 EOF", "1: -> FLOCK X 3 08:01:17 0 EOF"]
    assert life.inodes(lines) == [2162713, 17]


def test_now_is_told_by_a_file_that_leaves_no_trace(tmp_path: Path) -> None:
    found = life.moment(tmp_path)
    assert not found.own_clock
    assert not list(tmp_path.iterdir())
    fresh = tmp_path / "fresh"
    fresh.write_text("")
    assert abs(found.now - fresh.stat().st_mtime) < 5
    assert life.moment(tmp_path / "nowhere").own_clock


def test_what_was_written_in_the_future_was_written_just_now() -> None:
    assert moment().since(NOW + 3600) == 0.0
    assert moment().since(NOW - 3600) == 3600.0


@settings(deadline=None)
@given(st.floats(0, 1e4), st.floats(0, 1e4))
def test_slow_runs_and_far_ones_are_given_more_time(fast: float, slow: float) -> None:
    fast, slow = sorted((fast, slow))
    for host in (made_up.HERE, "there"):
        assert moment().patience(host, fast) <= moment().patience(host, slow)
    assert 60 <= moment().patience(made_up.HERE, slow) < moment().patience("there", slow)
    unseen = moment(locked=None)
    assert unseen.patience(made_up.HERE, slow) == unseen.patience("there", slow)


def test_a_log_is_as_old_as_its_file_whatever_its_lines_say(tmp_path: Path) -> None:
    path = write_log(tmp_path, wanted(), {**start(), "time": 3e9}, age=77)
    assert moment().since(read_tail(path).changed) == 77
    assert os.stat(path).st_size == len(json.dumps({**start(), "time": 3e9})) + 1

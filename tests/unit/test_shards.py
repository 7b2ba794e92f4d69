"""Files cut into shards, and work on them by several processes."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deepmt.data import shards as shards_module
from deepmt.data.lines import read_lines
from deepmt.data.shards import AHEAD, Shard, in_order, pair_shards, shards

ODD_TEXT = "\ufeffa\u2028b\n\nc\r\nd\u0085\te\n\ufefff\rg\nlast"


@pytest.fixture(params=[1, 2, 3, 5, 100])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(shards_module, "LINES", request.param)
    return int(request.param)


def lines_of(shard: Shard) -> list[str]:
    return list(shard.lines())


def test_shards_hold_the_lines_of_the_file_whatever_their_size(tmp_path: Path, size: int) -> None:
    (tmp_path / "text").write_bytes(ODD_TEXT.encode())
    found = [line for shard in shards(tmp_path / "text") for line in lines_of(shard)]
    assert found == list(read_lines(tmp_path / "text"))


def test_an_empty_file_has_no_shards(tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    assert list(shards(tmp_path / "text")) == []


def test_a_line_that_is_no_text_is_named_by_its_place_in_the_file(
    tmp_path: Path, size: int
) -> None:
    (tmp_path / "text").write_bytes(b"a\nb\nc\nd\xff\n")
    with pytest.raises(ValueError, match=r"text, line 4, byte 2: 0xff is not UTF-8"):
        list(map(lines_of, shards(tmp_path / "text")))


@pytest.mark.parametrize(("source", "target"), [(7, 4), (4, 7), (4, 5), (0, 1)])
def test_sides_of_different_length_are_refused_with_both_counts(
    tmp_path: Path, size: int, source: int, target: int
) -> None:
    (tmp_path / "a").write_text("x\n" * source)
    (tmp_path / "b").write_text("y\n" * target)
    with pytest.raises(ValueError, match=rf"a has {source} lines, .*b has {target};"):
        list(pair_shards(tmp_path / "a", tmp_path / "b"))


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_the_order_of_tasks(processes: int) -> None:
    assert list(in_order(slow_first, numbered(8), processes)) == list(range(1, 9))


def test_few_tasks_are_begun_before_their_turn() -> None:
    begun = []
    results = in_order(slow_first, (begun.append(shard) or shard for shard in numbered(50)), 2)
    next(results)
    assert len(begun) <= 2 * AHEAD + 1
    results.close()


def test_a_killed_process_is_an_error_that_names_the_lines() -> None:
    with pytest.raises(RuntimeError, match=r"lines 1 to 1, or soon after: .* killed"):
        list(in_order(die, numbered(3), 2))


@pytest.mark.parametrize("processes", [1, 2])
def test_whatever_goes_wrong_says_in_which_lines(processes: int) -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        list(in_order(divide, numbered(5), processes))
    assert raised.value.__notes__ == ["This was met in corpus, lines 3 to 3."]


def divide(shard: Shard) -> float:
    return 1 / (shard.first - 3)


def numbered(count: int) -> Iterator[Shard]:
    return (Shard(Path("corpus"), 0, 0, number, 1) for number in range(1, count + 1))


def slow_first(shard: Shard) -> int:
    time.sleep(0.1 if shard.first == 1 else 0)
    return shard.first


def die(shard: Shard) -> None:
    os._exit(9)

"""Monolingual text: each line once, and a sample that does not depend on the order of lines."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepmt.data.monolingual import distinct, read_texts

LINES = st.lists(st.sampled_from(["", " ", "a", "b ", "b", "c", "d", "e"]), max_size=20)


def drawn(lines: list[str], count: int | None = None) -> list[str]:
    return list(distinct(lambda: iter(lines), count))


@given(lines=LINES)
def test_each_line_comes_once_where_it_first_stood_and_empty_ones_never(lines) -> None:
    expected: dict[str, str] = {}
    for line in lines:
        if line.strip():
            expected.setdefault(line.strip(), line)
    assert drawn(lines) == list(expected.values())


@given(count=st.integers(1, 30), order=st.permutations(range(30)))
def test_a_sample_is_the_same_whatever_the_order_of_the_lines(count, order) -> None:
    lines = [f"line {number}" for number in range(30)]
    sample = drawn(lines, count)
    assert len(sample) == count
    assert sorted(drawn([lines[i] for i in order], count)) == sorted(sample)
    assert sample == sorted(sample, key=lines.index)


def test_more_lines_than_there_are_is_an_error() -> None:
    with pytest.raises(ValueError, match="3 distinct lines are requested, but there are only 2"):
        drawn(["a", "b", "a", ""], 3)


def test_plain_and_compressed_files_are_read_one_after_the_other(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a", tmp_path / "b.gz"
    plain.write_text("un\ndeux\n")
    packed.write_bytes(gzip.compress("trois\u2028quatre\n".encode()))
    found: Iterator[str] = read_texts((plain, packed))
    assert list(found) == ["un", "deux", "trois\u2028quatre"]

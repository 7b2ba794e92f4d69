"""Merges learned from word counts, against subword-nmt's own learner."""

import contextlib
import io
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from subword_nmt import learn_bpe

from deepmt.data.archive import open_member
from deepmt.data.byte_pairs import learn_merges
from deepmt.data.lines import decode_lines, read_lines
from deepmt.data.pair_counts import PairCounts
from deepmt.data.words import count_words

SHARED = Path(__file__).parents[2].parent / "shared" / "corpora"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/corpora is absent")


def theirs(counts: Mapping[str, int], merges: int) -> list[tuple[str, ...]]:
    codes = io.StringIO()
    entries = [f"{word} {count}" for word, count in counts.items()]
    with contextlib.redirect_stderr(io.StringIO()):  # a bar, and that pairs have run out
        learn_bpe.learn_bpe(entries, codes, merges, is_dict=True)
    return [tuple(line.split(" ")) for line in codes.getvalue().split("\n")[1:-1]]


def word_counts(alphabet: str, length: int, most: int = 4) -> st.SearchStrategy[dict[str, int]]:
    words = st.text(alphabet=alphabet, min_size=1, max_size=length)
    counts = st.dictionaries(words, st.integers(1, most), min_size=1, max_size=60)
    return counts.filter(lambda found: any(len(word) > 1 for word in found))


@given(word_counts("ab", 12) | word_counts("aabc", 30, most=1) | word_counts("abcdef", 8, most=99))
@settings(max_examples=60, deadline=None)
def test_many_ties_and_runs_of_one_letter_are_merged_alike(counts: dict[str, int]) -> None:
    assert learn_merges(counts, 500) == theirs(counts, 500)


@given(word_counts("ab\u00a0\u3000", 9) | word_counts("a</w>b", 12) | word_counts("日本a\t", 6))
@settings(max_examples=60, deadline=None)
def test_spaces_and_end_marks_inside_words_lead_both_astray_alike(counts: dict[str, int]) -> None:
    assert learn_merges(counts, 300) == theirs(counts, 300)


@needs_shared
@pytest.mark.parametrize("merges", [1, 101, 500])
def test_subword_nmts_reference_text_gives_its_merges(merges: int) -> None:
    counts = count_words(read_lines(SHARED / "subword-nmt-reference" / "corpus.en"))
    assert learn_merges(counts, merges) == theirs(counts, merges)


@needs_shared
def test_german_talks_and_captions_give_subword_nmts_merges() -> None:
    counts: Counter[str] = Counter()
    for name in (
        "iwslt14.de-en/fairseq-split/valid.de.gz",
        "multi30k/task1/tok/val.lc.norm.tok.de.gz",
    ):
        with open_member(SHARED / name) as stream:
            counts += count_words(islice(decode_lines(stream, name), 500))
    assert learn_merges(counts, 500) == theirs(counts, 500)


def test_learning_stops_where_no_pair_is_there_twice() -> None:
    assert learn_merges({"ab": 2, "cd": 1}, 10) == [("a", "b</w>")]


def test_a_pair_put_aside_and_counted_again_starts_from_nothing() -> None:
    pairs = np.array([1, 2, 3])
    counts = PairCounts(pairs, np.array([100, 90, 5]), lambda pair: ("a", str(pair)))
    assert counts.most_frequent(0) == (1, 100)
    counts.add([3, 2], [2, -85])
    counts.merged(1, 0)
    assert counts.most_frequent(1) == (2, 5)
    counts.add([3], [2])
    assert counts.most_frequent(2) == (2, 5)


def test_words_without_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="two or more characters"):
        learn_merges({"a": 3, "b": 1}, 10)


def test_too_many_symbols_are_refused() -> None:
    counts = {chr(0x4E00 + i) + chr(0x4E00 + i): 2 for i in range(20_000)}
    counts |= {chr(0x10000 + i) + chr(0x10000 + i): 2 for i in range(50_000)}
    with pytest.raises(ValueError, match="more than 131,072 symbols"):
        learn_merges(counts, 10)

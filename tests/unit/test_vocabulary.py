"""The vocabulary: order, specials, and files that are refused."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepmt.data.vocabulary import EOS, PAD, SPECIALS, UNK, Vocabulary, build_vocabularies

TOKENS = st.text(
    st.characters(exclude_characters=" \n\r\0", exclude_categories=("Cs",)), min_size=1, max_size=6
)


def test_specials_come_first_then_falling_counts_then_text() -> None:
    vocabulary = Vocabulary.from_counts({"b": 2, "a": 2, "c": 5, "rare": 1}, min_count=2)
    assert vocabulary.tokens == ("<pad>", "<unk>", "</s>", "c", "a", "b")
    assert (PAD, UNK, EOS) == (0, 1, 2)


def test_unused_types_end_the_list_and_are_not_limited_by_counts() -> None:
    vocabulary = Vocabulary.from_counts({"b": 2, "a": 1}, min_count=2, largest=1, unused=2)
    assert vocabulary.tokens[3:] == ("b", "<unused0>", "<unused1>")


def test_text_that_spells_a_special_token_is_unknown() -> None:
    vocabulary = Vocabulary.from_counts({"</s>": 9, "<pad>": 9, "a": 1})
    assert vocabulary.encode(["</s>", "<pad>", "a", "new"]) == [UNK, UNK, 3, UNK]


@given(st.dictionaries(TOKENS.filter(lambda token: token not in SPECIALS), st.integers(1, 9)))
def test_known_tokens_come_back_from_their_ids(counts: dict[str, int]) -> None:
    vocabulary = Vocabulary.from_counts(counts)
    assert vocabulary.decode(vocabulary.encode(counts)) == list(counts)


@pytest.mark.parametrize("token", ["a", "\u2028", "a\u0085b", "\ufeff", "\u00a0"])
def test_a_saved_vocabulary_is_the_same_when_loaded(tmp_path: Path, token: str) -> None:
    vocabulary = Vocabulary.from_counts({token: 2, "b": 1})
    vocabulary.save(tmp_path / "vocab.de")
    assert Vocabulary.load(tmp_path / "vocab.de").tokens == vocabulary.tokens


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("a\nb\n", "must begin with <pad> <unk> </s>"),
        ("<pad>\n<unk>\n</s>\na\na\n", "must not repeat a token"),
        ("<pad>\n<unk>\n</s>\n<unk>\n", "must not repeat a token"),
        ("<pad>\n<unk>\n</s>\n\n", "not have an empty token"),
    ],
)
def test_a_bad_list_is_refused(tmp_path: Path, lines: str, message: str) -> None:
    (tmp_path / "vocab.de").write_text(lines, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        Vocabulary.load(tmp_path / "vocab.de")


def test_a_shared_vocabulary_counts_both_sides_together() -> None:
    sides = {"en": Counter("ab"), "de": Counter("bccc")}
    shared = build_vocabularies(sides, min_count=2, shared=True)
    assert shared["en"] is shared["de"]
    assert shared["en"].tokens[3:] == ("c", "b")
    assert build_vocabularies(sides, min_count=2, shared=False)["de"].tokens[3:] == ("c",)


@pytest.mark.parametrize(
    ("largest", "kept"), [(0, "cab"), (1, "c"), (2, "ca"), (3, "cab"), (9, "cab")]
)
def test_the_most_frequent_types_stay_and_specials_do_not_count(largest: int, kept: str) -> None:
    counts = Counter({"b": 2, "a": 2, "c": 5, "rare": 1, "</s>": 9})
    for shared in (True, False):
        found = build_vocabularies({"de": counts}, min_count=2, shared=shared, largest=largest)
        assert found["de"].tokens == (*SPECIALS, *kept)

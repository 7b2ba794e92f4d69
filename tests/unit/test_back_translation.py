"""Shards come back in order, and only what can teach something becomes a pair."""

from collections.abc import Iterable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from deepmt.data.back_translation import PairFilter, joined, shard
from deepmt.decode.sampler import Sampler

LINES = st.lists(st.text(max_size=3))


PAIRS = st.tuples(st.text(max_size=2), st.text(max_size=2),
                  st.tuples(st.integers(0, 9), st.integers(0, 9)))  # fmt: skip


@given(lines=LINES, shards=st.integers(1, 7))
def test_any_number_of_shards_joins_to_the_text_in_its_order(lines, shards) -> None:
    assert list(joined([shard(lines, k, shards) for k in range(shards)])) == lines


@given(lines=LINES, shards=st.integers(1, 7))
def test_shards_differ_by_one_line_at_most(lines, shards) -> None:
    sizes = [len(list(shard(lines, k, shards))) for k in range(shards)]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("lengths", [(3, 1), (1, 2), (0, 1), (2, 2, 0), (4, 2, 3)])
def test_shards_that_are_not_of_one_text_are_refused(lengths) -> None:
    with pytest.raises(ValueError, match="from different texts"):
        list(joined([iter("x" * length) for length in lengths]))


@given(pairs=st.lists(PAIRS), limit=st.integers(0, 9), ratio=st.sampled_from([0, 1, 1.5, 3]))
def test_what_is_kept_obeys_the_limits_and_every_line_is_counted(pairs, limit, ratio) -> None:
    rule = PairFilter(limit, ratio)
    kept = [pair for pair in pairs if rule.keep(*pair)]
    for source, target, lengths in kept:
        assert min(source.strip(), target.strip())
        assert source != target
        assert limit == 0 or max(lengths) <= limit
        assert ratio == 0 or max(lengths) <= ratio * min(lengths)
    assert len(kept) + sum(rule.dropped.values()) == len(pairs)


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (("", "ein Wort", (0, 2)), "empty"),
        ((" ", "Wort", (1, 1)), "empty"),
        (("a word too many", "ein Wort zu viel da", (4, 5)), "too_long"),
        (("a word", "Wort", (2, 1)), "ratio"),
        (("Wort", "Wort", (1, 1)), "copied"),
    ],
)
def test_what_is_dropped_is_counted_by_its_reason(pair, reason) -> None:
    rule = PairFilter(4, 1.5)
    assert not rule.keep(*pair)
    assert rule.dropped == {reason: 1}


def drawn(sampler: Sampler, totals: Tensor, numbers: Iterable[int]) -> Tensor:
    """Return a token of each sentence."""
    uniform = torch.tensor([[sampler.uniform(number, 3)[1]] for number in numbers])
    return sampler.draw(totals, uniform).token


def test_a_line_is_drawn_alike_in_its_shard_and_in_the_whole_text() -> None:
    totals = torch.randn(4, 1, 50, generator=torch.Generator().manual_seed(1)).log_softmax(-1)
    whole = drawn(Sampler(5), totals, [1, 4, 7, 10])
    part = drawn(Sampler(5, first=1, step=3), totals, range(4))
    assert torch.equal(whole, part)


def test_lines_of_different_shards_have_draws_of_their_own() -> None:
    totals = torch.zeros(200, 1, 1000).log_softmax(-1)
    draws = [drawn(Sampler(5, first=k, step=2), totals, range(200)) for k in (0, 1)]
    assert (draws[0] == draws[1]).float().mean() < 0.05

"""Batches keep the token budget, lose no sentence and depend on nothing but the seed."""

from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepmt.base.device_batches import device_batches
from deepmt.data.batches import Indices, TrainingBatches, cut, in_order_of_length
from deepmt.data.dataset import Dataset
from deepmt.data.encoded import EncodedPair, EncodedText
from deepmt.data.vocabulary import EOS, PAD


@pytest.fixture
def pair(dataset: Path) -> EncodedPair:
    return Dataset(dataset).pair("train")


@pytest.fixture(params=[0, 20], ids=["whole", "device"])
def batches(pair: EncodedPair, request: pytest.FixtureRequest) -> TrainingBatches:
    """Updates of 40 tokens, whole or of two device batches."""
    return TrainingBatches(pair, 40, max_length=6, seed=1, device_tokens=request.param)


def device_batches_of(batches: TrainingBatches, epoch: int) -> list[Indices]:
    return list(chain.from_iterable(batches.epoch(epoch)))


def test_an_epoch_uses_every_sentence_once(batches: TrainingBatches) -> None:
    rows = np.concatenate(device_batches_of(batches, 0))
    assert sorted(rows) == list(range(60))


def test_no_batch_exceeds_the_budget_with_padding(batches: TrainingBatches) -> None:
    for rows in device_batches_of(batches, 0):
        batch = batches.batch(rows)
        assert len(rows) * batch.longest <= (batches.device_tokens or 40)


def test_epochs_differ_and_repeat_with_their_seed(batches: TrainingBatches) -> None:
    again = TrainingBatches(batches.pair, 40, 6, seed=1, device_tokens=batches.device_tokens)
    first, second = (list(map(list, device_batches_of(batches, epoch))) for epoch in (0, 1))
    assert list(map(list, device_batches_of(again, 1))) == second != first


def test_rows_are_cut_ended_and_padded(batches: TrainingBatches) -> None:
    for rows in device_batches_of(batches, 0):
        target = batches.batch(rows).target
        for row, line in zip(rows, target.tolist(), strict=True):
            expected = [*batches.pair.target[row][:6].tolist(), EOS]
            assert line == expected + [PAD] * (len(line) - len(expected))


@pytest.mark.parametrize("epoch", [0, 3])
def test_without_device_batches_the_order_is_that_of_every_record(
    pair: EncodedPair, epoch: int
) -> None:
    """Sort rows by longest side and source, cut them greedily, and shuffle."""
    source, target = (np.minimum(side.lengths, 6) + 1 for side in (pair.source, pair.target))
    longest = np.maximum(source, target)
    draw = np.random.default_rng([7, epoch])
    drawn = draw.permutation(60).tolist()
    cuts: list[list[int]] = [[]]
    for row in sorted(drawn, key=lambda row: (longest[row], source[row])):
        if (len(cuts[-1]) + 1) * longest[row] > 40:
            cuts.append([])
        cuts[-1].append(row)
    expected = [[cuts[number]] for number in draw.permutation(len(cuts))]
    found = TrainingBatches(pair, 40, 6, seed=7).epoch(epoch)
    assert [[rows.tolist() for rows in update] for update in found] == expected


def cut_as_fairseq(
    rows: list[int], longest: Indices, max_tokens: int, multiple: int
) -> list[list[int]]:
    """The loop of batch_by_size: a row that does not fit ends a batch, which keeps what it may."""
    batches: list[list[int]] = []
    batch: list[int] = []
    lengths: list[int] = []
    for row in rows:
        lengths.append(longest[row])
        if batch and (len(batch) + 1) * max(lengths) > max_tokens:
            keep = max(multiple * (len(batch) // multiple), len(batch) % multiple)
            batches.append(batch[:keep])
            batch, lengths = batch[keep:], lengths[keep:]
        batch.append(row)
    return [*batches, batch]


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=60),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_batches_are_those_of_fairseq(lengths: list[int], rows: int, multiple: int) -> None:
    """A multiple of rows, the rest carried over, where so many of the longest fit."""
    longest = np.array(sorted(lengths))
    max_tokens = 12 * max(rows, multiple)
    found = cut(np.arange(len(longest)), longest, max_tokens, multiple)
    expected = cut_as_fairseq(list(range(len(longest))), longest, max_tokens, multiple)
    assert [batch.tolist() for batch in found] == expected


@pytest.mark.parametrize("multiple", [1, 3])
def test_a_fixed_order_is_cut_once_and_only_its_batches_are_shuffled(
    pair: EncodedPair, multiple: int
) -> None:
    batches = TrainingBatches(pair, 40, 6, seed=1, multiple=multiple, order="fixed")
    first, second = (
        [tuple(rows.tolist()) for rows in device_batches_of(batches, epoch)] for epoch in (0, 1)
    )
    assert first != second
    assert sorted(first) == sorted(second)
    order = np.concatenate(batches.fixed).tolist()
    lengths = [(batches.source_lengths[row], batches.target_lengths[row]) for row in order]
    assert lengths == sorted(lengths)
    assert order != sorted(order, key=lambda row: (lengths[order.index(row)], row))
    expected = cut_as_fairseq(order, batches.longest, 40, multiple)
    assert sorted(map(tuple, expected)) == sorted(first)


def alike(source: int, target: int, number: int = 40) -> EncodedPair:
    """Pairs with so many subwords each, before the end symbol."""
    return EncodedPair(
        *(
            EncodedText(np.arange(number + 1) * length, np.zeros(number * length, np.uint16))
            for length in (source, target)
        )
    )


@pytest.mark.parametrize(
    ("counts", "multiple", "pairs"),
    [
        ("longer", 1, (10, 10)),
        ("longer", 8, (8, 8)),
        ("source", 1, (10, 20)),
        ("source_words", 1, (11, 21)),
    ],
)
def test_a_batch_of_100_tokens_holds_as_many_pairs_as_in_that_toolkit(
    counts: Literal["longer", "source", "source_words"], multiple: int, pairs: tuple[int, int]
) -> None:
    """As joeynmt 2.3.0, fairseq 0.12.2 and, without padding, Marian 1.12 were seen to batch."""
    for lengths, expected in zip(((9, 4), (4, 9)), pairs, strict=True):
        batches = TrainingBatches(
            alike(*lengths), 100, 50, seed=1, multiple=multiple, order="fixed", counts=counts
        )
        assert len(batches.fixed[0]) == expected


@pytest.mark.parametrize("order", ["redrawn", "fixed"])
def test_without_padding_the_pair_that_exceeds_the_tokens_ends_its_batch(
    pair: EncodedPair, order: Literal["redrawn", "fixed"]
) -> None:
    batches = TrainingBatches(pair, 40, 6, seed=1, order=order, counts="source_words")
    found = device_batches_of(batches, 0)
    assert sorted(np.concatenate(found)) == list(range(60))
    words = [batches.source_lengths[rows] for rows in found]
    assert all(each[:-1].sum() <= 40 for each in words)
    assert sum(each.sum() <= 40 for each in words) <= 1  # what is left


def test_a_target_longer_than_a_batch_is_refused_only_if_it_counts() -> None:
    with pytest.raises(ValueError, match=r"batch_tokens=20 is less than the longest sentence \(31"):
        TrainingBatches(alike(4, 30), 20, 50, seed=1)
    batches = TrainingBatches(alike(4, 30), 20, 50, seed=1, counts="source")
    assert {len(rows) for rows in device_batches_of(batches, 0)} == {4}


def test_an_update_takes_as_many_device_batches_as_the_papers(pair: EncodedPair) -> None:
    batches = TrainingBatches(pair, 60, max_length=6, seed=1, device_tokens=20)
    *whole, last = map(len, batches.epoch(0))
    assert set(whole) == {3}
    assert 1 <= last <= 3


def test_a_large_update_holds_sentences_of_all_lengths() -> None:
    """Liu's 458,752 tokens: 128 batches of 3,584."""
    lengths = np.random.default_rng(1).gamma(3, 10, 150_000).astype(np.int64) + 1
    ids = np.zeros(lengths.sum(), np.uint16)
    text = EncodedText(np.cumsum([0, *lengths]), ids)
    pair = EncodedPair(text, text)

    def median_span(device_tokens: int) -> float:
        batches = TrainingBatches(pair, 458_752, 256, seed=1, device_tokens=device_tokens)
        spans = [np.ptp(lengths[np.concatenate(update)]) for update in batches.epoch(0)]
        return float(np.median(spans))

    assert median_span(0) <= 10
    assert median_span(3584) > 50


@pytest.mark.parametrize(
    ("update", "device", "number"),
    [
        (458_752, 3584, 128),
        (25_000, 6125, 4),
        (40_000, 6125, 7),
        (600, 3584, 1),
        (600, 0, 1),
    ],
)
def test_device_batches_are_the_nearest_to_the_papers(
    update: int, device: int, number: int
) -> None:
    assert device_batches(update, device) == number


@pytest.mark.parametrize(("update", "device", "key"), [(5, 0, "batch"), (40, 5, "device")])
def test_a_budget_below_the_longest_sentence_is_refused(
    pair: EncodedPair, update: int, device: int, key: str
) -> None:
    with pytest.raises(ValueError, match=rf"{key}_tokens=5 is less than the longest sentence"):
        TrainingBatches(pair, update, max_length=6, seed=1, device_tokens=device)


def test_scoring_sees_each_row_once_long_ones_first(batches: TrainingBatches) -> None:
    order = list(in_order_of_length(batches))
    assert sorted(np.concatenate(order)) == list(range(60))
    assert batches.longest[order[0]].max() == batches.longest.max()

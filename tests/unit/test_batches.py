"""Batches keep the token budget, lose no sentence and depend on nothing but the seed."""

from pathlib import Path

import numpy as np
import pytest

from deepmt.data.batches import TrainingBatches, in_order_of_length
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import EOS, PAD


@pytest.fixture
def batches(dataset: Path) -> TrainingBatches:
    pair = EncodedPair(dataset / "ids", "train", "en", "de")
    return TrainingBatches(pair, max_tokens=40, max_length=6, seed=1)


def test_an_epoch_uses_every_sentence_once(batches: TrainingBatches) -> None:
    rows = np.concatenate(batches.epoch(0))
    assert sorted(rows) == list(range(60))


def test_no_batch_exceeds_the_budget_with_padding(batches: TrainingBatches) -> None:
    for rows in batches.epoch(0):
        batch = batches.batch(rows)
        assert len(rows) * max(batch.source.size(1), batch.target.size(1)) <= 40


def test_epochs_differ_and_repeat_with_their_seed(batches: TrainingBatches) -> None:
    again = TrainingBatches(batches.pair, 40, 6, seed=1)
    assert [list(r) for r in batches.epoch(1)] == [list(r) for r in again.epoch(1)]
    assert [list(r) for r in batches.epoch(1)] != [list(r) for r in batches.epoch(0)]


def test_rows_are_cut_ended_and_padded(batches: TrainingBatches) -> None:
    for rows in batches.epoch(0):
        target = batches.batch(rows).target
        for row, line in zip(rows, target.tolist(), strict=True):
            expected = [*batches.pair.target[row][:6].tolist(), EOS]
            assert line == expected + [PAD] * (len(line) - len(expected))


def test_a_budget_below_the_longest_sentence_is_refused(batches: TrainingBatches) -> None:
    with pytest.raises(ValueError, match=r"batch_tokens=5 is less than the longest sentence"):
        TrainingBatches(batches.pair, max_tokens=5, max_length=6, seed=1)


def test_scoring_sees_each_row_once_long_ones_first(batches: TrainingBatches) -> None:
    order = list(in_order_of_length(batches))
    assert sorted(np.concatenate(order)) == list(range(60))
    assert batches.longest[order[0]].max() == batches.longest.max()

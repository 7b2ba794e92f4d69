"""The gradient of an update is the sum over its sentences, whoever computes them in what passes."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from deepmt.data.batches import Batch, Indices, TrainingBatches
from deepmt.data.dataset import Dataset
from deepmt.model.build import build
from deepmt.train.event_log import EventLog
from deepmt.train.execution import ExecutionConfig
from deepmt.train.passes import PASS_POSITIONS, Share, device_passes, regrouped, spans
from deepmt.train.update import Updater
from deepmt.train.workers import Workers
from tiny import STILL, tiny_spec

VOCABULARY = 23
WORKERS = [1, 2, 3, 5, 8]
Update = tuple[TrainingBatches, list[Indices]]


@pytest.fixture
def update(dataset: Path) -> Update:
    """An update of three device batches of unlike lengths."""
    pair = Dataset(dataset).pair("train")
    batches = TrainingBatches(pair, 120, 100, seed=1, device_tokens=40)
    rows = batches.epoch(0)[0]
    assert len({int(batches.longest[each].max()) for each in rows}) == len(rows) == 3
    return batches, rows


def updater(micro_tokens: int = 0, average: str = "token") -> Updater:
    spec = tiny_spec(**STILL, training__loss_average=average, training__batch_tokens=120)
    torch.manual_seed(0)
    model = build(spec, VOCABULARY, VOCABULARY).train()
    how = ExecutionConfig(micro_tokens=micro_tokens, precision="float32")
    return Updater(spec, model, how, EventLog(Path(), writes=False))


def gradient(
    update: Update, size: int = 1, positions: int = 0, micro_tokens: int = 0, average: str = "token"
) -> Tensor:
    """The sum of what `size` workers compute, with the loss."""
    total = torch.zeros(())
    for rank in range(size):
        one = updater(micro_tokens, average)
        loss, _ = one.gradient(Share.of(*update, Workers(rank, size), positions), 1)
        total = total + torch.cat([one.flat.gradient, loss.reshape(1)])
    return total


def at_once(update: Update, average: str = "token") -> Tensor:
    """The same, of all sentences in one batch."""
    batches, rows = update
    one = updater(10_000, average)
    loss, _ = one.gradient(Share.whole([batches.batch(np.concatenate(rows))]), 1)
    return torch.cat([one.flat.gradient, loss.reshape(1)])


def test_by_pairs_the_gradient_is_that_of_the_sum_over_tokens_and_the_loss_one_of_a_token(
    update: Update,
) -> None:
    """OpenNMT-py, eole and joeynmt: the gradient of two pairs with 8 tokens is divided by 2."""
    batches, rows = update
    share = Share.of(*update, Workers(0, 1), 0)
    by_token, by_pair = (at_once(update, average) for average in ("token", "pair"))
    tokens, pairs = int(batches.target_lengths[np.concatenate(rows)].sum()), share.sentences
    torch.testing.assert_close(by_pair[:-1], by_token[:-1] * tokens / pairs, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(by_pair[-1], by_token[-1])


@pytest.mark.parametrize("average", ["token", "sentence", "pair"])
@pytest.mark.parametrize("positions", [0, 60])
@pytest.mark.parametrize("size", WORKERS)
def test_passes_add_up_to_all_sentences_at_once(
    update: Update, size: int, positions: int, average: str
) -> None:
    """Zero positions: the passes are device batches."""
    found, expected = gradient(update, size, positions, average=average), at_once(update, average)
    assert expected.norm() > 0.1
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("positions", [0, 60])
@pytest.mark.parametrize("micro_tokens", [9, 17])
def test_so_do_parts_of_passes(update: Update, positions: int, micro_tokens: int) -> None:
    found = gradient(update, 2, positions, micro_tokens)
    torch.testing.assert_close(found, at_once(update), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(("size", "whole"), [(1, True), (2, True), (3, True), (4, False)])
def test_workers_share_whole_device_batches(
    update: Update, size: int, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches, rows = update
    made: list[Indices] = []
    make = TrainingBatches.batch
    monkeypatch.setattr(
        TrainingBatches, "batch", lambda self, rows: made.append(rows) or make(self, rows)
    )
    parts = [
        (first, len(batch.source))
        for rank in range(size)
        for first, batch in Share.of(batches, rows, Workers(rank, size), 0).passes
    ]
    covered = [row for first, count in parts for row in range(first, first + count)]
    assert sorted(covered) == list(range(sum(map(len, rows))))
    assert (len(parts) == len(rows)) == whole
    assert whole <= (len(made) == len(rows))  # nobody makes the batch of another worker


@pytest.mark.parametrize("size", WORKERS)
def test_regrouped_workers_make_equal_shares_of_every_length(
    update: Update, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches, rows = update
    made: list[int] = []
    make = TrainingBatches.batch
    monkeypatch.setattr(
        TrainingBatches, "batch", lambda self, rows: made.extend(rows.tolist()) or make(self, rows)
    )
    shares = [Share.of(batches, rows, Workers(rank, size), 60) for rank in range(size)]
    assert sorted(made) == sorted(np.concatenate(rows).tolist())
    counts = [sum(len(batch.source) for _, batch in share.passes) for share in shares]
    tokens = [sum(batch.target_tokens for _, batch in share.passes) for share in shares]
    assert max(counts) - min(counts) <= 1
    assert max(tokens) - min(tokens) <= 2 * batches.target_lengths.max()
    assert {share.target_tokens for share in shares} == {sum(tokens)}
    assert {share.sentences for share in shares} == {sum(counts)}
    own = [
        first + row
        for each in shares
        for first, batch in each.passes
        for row in range(len(batch.source))
    ]
    assert len(set(own)) == len(own)  # each row has a number, and so dropout, of its own


def test_parts_have_dropout_of_their_own(update: Update) -> None:
    """Masks are drawn by the number of the first row in the update."""
    share = Share.of(*update, Workers(), 0)
    firsts = [first for first, _ in updater(micro_tokens=9)._micro_batches(share)]
    assert len(set(firsts)) == len(firsts) > len(share.passes)


def cost(lengths: list[int], cuts: list[int], positions: int, per_pass: int) -> int:
    """Positions of the passes that begin at these rows, and `per_pass` for each."""
    ends = [*cuts[1:], len(lengths)]
    needed = [(end - begin) * lengths[begin] for begin, end in zip(cuts, ends, strict=True)]
    return sum(each + per_pass * -(-each // positions) for each in needed)


@pytest.mark.parametrize("per_pass", [1, 20, 300])
def test_passes_cost_as_little_as_any_cut(per_pass: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deepmt.train.passes.PASS_COST", per_pass)
    draw = np.random.default_rng(per_pass)
    for _ in range(20):
        lengths = sorted(draw.integers(2, 30, 9).tolist(), reverse=True)
        found = [begin for begin, _ in spans(np.array(lengths), 10_000)]
        every = (
            [0, *(row for row in range(1, 9) if chosen >> row & 1)] for chosen in range(0, 512, 2)
        )
        least = min(cost(lengths, cuts, 10_000, per_pass) for cuts in every)
        assert cost(lengths, found, 10_000, per_pass) == least


@pytest.mark.parametrize("positions", [1, 40, 100])
def test_no_pass_has_more_positions_unless_one_sentence_has(positions: int) -> None:
    lengths = np.sort(np.random.default_rng(1).integers(1, 40, 50))[::-1]
    found = list(spans(lengths, positions))
    assert [0, *(end for _, end in found)] == [*(begin for begin, _ in found), 50]
    assert all(
        end - begin == 1 or (end - begin) * lengths[begin] <= positions for begin, end in found
    )


@pytest.mark.parametrize("rank", range(8))
def test_four_device_batches_on_eight_gpus_make_one_pass_each(
    rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Zhang's, of 6,250 tokens; else each GPU has rows of all four."""
    lengths = np.random.default_rng(1).gamma(3, 10, 20_000).astype(np.int64) + 1
    text: Any = SimpleNamespace(source=SimpleNamespace(lengths=lengths))
    text.target = text.source
    batches = TrainingBatches(text, 25_000, 256, seed=1, device_tokens=6125)
    tokens = torch.zeros(4000, 1)
    monkeypatch.setattr(batches, "batch", lambda rows: Batch(tokens[: len(rows)], tokens))
    rows, workers = batches.epoch(0)[0], Workers(rank, 8)
    assert len(list(device_passes(batches, rows, workers))) == 4
    assert len(list(regrouped(batches, np.concatenate(rows), workers, PASS_POSITIONS))) == 1

"""The gradient of an update is the sum over its device batches, whoever computes them."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from deepmt.data.batches import Batch
from deepmt.data.vocabulary import EOS, PAD, SPECIALS
from deepmt.model.build import build
from deepmt.train.event_log import EventLog
from deepmt.train.execution import ExecutionConfig
from deepmt.train.update import Updater
from deepmt.train.workers import Workers
from tiny import STILL, tiny_spec

VOCABULARY = 12


def batch(seed: int, rows: int, longest: int) -> Batch:
    """Rows of several lengths."""
    draw = torch.Generator().manual_seed(seed)
    tokens = torch.randint(len(SPECIALS), VOCABULARY, (2, rows, longest), generator=draw)
    for row in range(rows):
        end = longest - 1 - row % 3
        tokens[:, row, end], tokens[:, row, end + 1 :] = EOS, PAD
    return Batch(tokens[0], tokens[1])


UPDATE = [batch(1, 4, 6), batch(2, 3, 8), batch(3, 6, 4)]


def updater(workers: Workers, micro_tokens: int, average: str = "token") -> Updater:
    spec = tiny_spec(**STILL, training__loss_average=average)
    torch.manual_seed(0)
    model = build(spec, VOCABULARY, VOCABULARY).train()
    how = ExecutionConfig(micro_tokens=micro_tokens, precision="float32")
    return Updater(spec, model, how, EventLog(Path(), writes=False), workers)


def gradient(batches: list[Batch], size: int = 1, micro_tokens: int = 0, **how: str) -> Tensor:
    """The sum of what `size` workers compute, with the loss."""
    total = torch.zeros(())
    for rank in range(size):
        one = updater(Workers(rank, size), micro_tokens, **how)
        loss, _ = one.gradient(batches, 1)
        total = total + torch.cat([one.flat.gradient, loss.reshape(1)])
    return total


def as_one(batches: list[Batch]) -> Batch:
    """All rows, padded to one length."""
    sides = zip(*((each.source, each.target) for each in batches), strict=True)
    pad = torch.nn.utils.rnn.pad_sequence
    return Batch(
        *(pad([r for x in side for r in x], batch_first=True, padding_value=PAD) for side in sides)
    )


@pytest.mark.parametrize("average", ["token", "sentence"])
def test_the_gradient_is_that_of_all_sentences_at_once(average: str) -> None:
    expected = gradient([as_one(UPDATE)], average=average)
    assert expected.norm() > 0.1
    torch.testing.assert_close(gradient(UPDATE, average=average), expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("micro_tokens", [0, 8, 17])
def test_it_is_the_same_for_any_number_of_workers_and_micro_batches(
    size: int, micro_tokens: int
) -> None:
    found = gradient(UPDATE, size, micro_tokens)
    torch.testing.assert_close(found, gradient(UPDATE), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize(("size", "whole"), [(1, True), (2, True), (3, True), (4, False)])
def test_workers_share_whole_device_batches(size: int, whole: bool) -> None:
    parts = [
        [
            (first, len(part.source))
            for first, part in updater(Workers(rank, size), 99)._micro_batches(UPDATE)
        ]
        for rank in range(size)
    ]
    rows = [
        row for worker in parts for first, count in worker for row in range(first, first + count)
    ]
    assert sorted(rows) == list(range(4 + 3 + 6))
    assert ({(0, 4), (4, 3), (7, 6)} == {each for worker in parts for each in worker}) == whole


def test_device_batches_have_dropout_of_their_own() -> None:
    """Masks are drawn by the number of the first row in the update."""
    firsts = [first for first, _ in updater(Workers(), 8)._micro_batches(UPDATE)]
    assert len(set(firsts)) == len(firsts) > len(UPDATE)

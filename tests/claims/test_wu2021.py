"""The recipe of Wu 2021, whose code is a fairseq of 2019, computes what its equations say."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from models import VOCABULARY, disturbed, sentences, spec
from torch import nn
from torch_layers import theirs_of

from deepmt.data.batches import Batch
from deepmt.data.vocabulary import EOS, PAD
from deepmt.model.embedding import sinusoids
from deepmt.settings.spec import Model
from deepmt.train.event_log import EventLog
from deepmt.train.execution import ExecutionConfig
from deepmt.train.learning_rate import learning_rate
from deepmt.train.optimiser import epsilon_of, optimiser
from deepmt.train.passes import Share
from deepmt.train.update import Updater
from tiny import tiny_spec

NO_DROPOUT = {"dropout": 0.0, "embedding_dropout": 0.0}


def recipe(**changes):
    own = {"lr": 5e-3, "warmup": 2000, "updates": 8000, "schedule_from": 0, "epsilon_hat": True}
    return replace(tiny_spec().training, **own | changes)


class Restated:
    """The model as layers of torch and one matrix, with its loss and its optimiser."""

    def __init__(self, model):
        self.table = nn.Parameter(model.target.table.weight.data.clone())
        self.stacks = theirs_of(model, norm_first=False)
        self.weights = [self.table, *(p for stack in self.stacks for p in stack.parameters())]
        self.moments = [[torch.zeros_like(w), torch.zeros_like(w)] for w in self.weights]

    def embed(self, tokens):
        """The first position is 2."""
        positions = sinusoids(tokens.size(1) + 2, 8)[2:].double()
        return self.table[tokens] * math.sqrt(8) + positions

    def logits(self, batch):
        encoder, decoder = self.stacks
        mask = batch.source == PAD
        memory = encoder(self.embed(batch.source), src_key_padding_mask=mask)
        before = torch.cat([torch.full_like(batch.target[:, :1], EOS), batch.target[:, :-1]], 1)
        causal = nn.Transformer.generate_square_subsequent_mask(before.size(1)).double()
        states = decoder(
            self.embed(before),
            memory,
            tgt_mask=causal,
            tgt_is_causal=True,
            memory_key_padding_mask=mask,
        )
        return states @ self.table.T

    def loss(self, batches):
        """Sum .9 nll + .1/V of all classes over all device batches, over their tokens."""
        total, tokens = 0.0, 0
        for batch in batches:
            real = batch.target != PAD
            logs = self.logits(batch)[real].log_softmax(-1)
            gold = logs.gather(1, batch.target[real][:, None]).sum()
            total = total - 0.9 * gold - 0.1 / VOCABULARY * logs.sum()
            tokens += int(real.sum())
        return total / tokens

    def update(self, batches, step, lr, clip):
        loss = self.loss(batches)
        gradients = torch.autograd.grad(loss, self.weights)
        norm = math.sqrt(sum(float((g**2).sum()) for g in gradients))
        factor = min(1.0, clip / (norm + 1e-6))
        for weight, gradient, (m, v) in zip(self.weights, gradients, self.moments, strict=True):
            adam(weight.data, gradient * factor, m, v, step, lr, 1e-8)
        return float(loss.detach()), norm


def adam(weight, gradient, m, v, step, lr, epsilon_hat):
    """Take a step as Kingma 2015 orders it in section 2, before 2.1."""
    m.mul_(0.9).add_(0.1 * gradient)
    v.mul_(0.98).add_(0.02 * gradient**2)
    size = lr * math.sqrt(1 - 0.98**step) / (1 - 0.9**step)
    weight -= size * m / (v.sqrt() + epsilon_hat)


@pytest.mark.parametrize("clip", [25.0, 0.5])
def test_three_updates_are_those_of_its_equations(clip):
    """Of two device batches, two and one, at the initial rate, the peak and a lower one."""
    plain = spec()
    settings = replace(
        plain,
        model=Model(tie="all", first_position=2),
        data=replace(plain.data, shared_vocabulary=True),
        training=replace(plain.training, **vars(recipe(clip=clip, warmup=1)) | NO_DROPOUT),
    )
    model = disturbed(settings).train()
    restated = Restated(model)
    how = ExecutionConfig(precision="float32")
    updater = Updater(settings, model, how, EventLog(Path(), writes=False))
    for step, lr in ((1, 1e-7), (2, 5e-3), (3, 5e-3 / math.sqrt(2))):
        lengths = [(5, 3, 4), (2, 6)][: 1 if step == 3 else 2]
        update = [Batch(sentences(*n), sentences(*n[::-1])) for n in lengths]
        loss, norm = restated.update(update, step, lr, clip)
        found, _ = updater.gradient(Share.whole(update), step)
        assert float(found) == pytest.approx(loss, rel=1e-6)  # summed in float32
        assert float(updater.flat.norm()) == pytest.approx(norm, rel=1e-12)
        updater.step(step, updater.flat.norm())
    torch.testing.assert_close(model.target.table.weight, restated.table, rtol=0, atol=1e-10)
    for ours, theirs in zip(theirs_of(model, norm_first=False), restated.stacks, strict=True):
        for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=1e-10)


@pytest.mark.parametrize("update", [1, 2, 1000, 2000, 2001, 2002, 8000])
def test_the_first_update_has_the_initial_rate_and_the_one_after_warmup_the_peak(update):
    before = update - 1
    expected = 1e-7 + before * (5e-3 - 1e-7) / 2000
    if before >= 2000:
        expected = 5e-3 * math.sqrt(2000 / before)
    found = learning_rate(replace(tiny_spec(), training=recipe()), update)
    assert found == pytest.approx(expected, rel=1e-12)


def test_epsilon_is_added_before_the_correction_of_bias():
    """It shows where gradients are as small as epsilon."""
    own = recipe(epsilon=1e-3)
    weight = nn.Parameter(torch.randn(50, dtype=torch.double))
    expected, m, v = weight.detach().clone(), *torch.zeros(2, 50, dtype=torch.double)
    stepper = optimiser([weight], own)
    for step in range(1, 4):
        weight.grad = 1e-3 * torch.randn(50, dtype=torch.double)
        adam(expected, weight.grad, m, v, step, 0.01, 1e-3)
        stepper.param_groups[0].update(lr=0.01, eps=epsilon_of(own, step))
        stepper.step()
        torch.testing.assert_close(weight.data, expected, rtol=0, atol=1e-14)

"""Muon updates each matrix of the layers by an orthogonal one, and Adam all other weights."""

from copy import deepcopy
from pathlib import Path

import pytest
import torch
from torch import Tensor

from deepmt.data.batches import Batch
from deepmt.data.vocabulary import EOS, PAD, SPECIALS
from deepmt.init.matrices import matrices
from deepmt.model.build import build
from deepmt.train.event_log import EventLog
from deepmt.train.execution import ExecutionConfig
from deepmt.train.learning_rate import learning_rate
from deepmt.train.passes import Share
from deepmt.train.stop import StopRequested
from deepmt.train.update import Updater
from tiny import MATT, STILL, tiny_spec
from tiny_runs import apart, new_run, trained

MUON = {"training__optimizer": "muon"}
PRECISIONS = ["float32", "bfloat16"]
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


def orthogonal(gradient: Tensor) -> Tensor:
    """Five steps of X -> a X + (b A + c A^2) X, A = X X^T, from gradient / |gradient|."""
    tall = gradient.size(0) > gradient.size(1)
    x = (gradient.T if tall else gradient).double()
    x = x / x.norm()
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x.T if tall else x


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("method", [{}, MATT], ids=["stacked", "merged"])
def test_the_first_step_is_orthogonal_in_each_matrix_and_adams_elsewhere(
    precision: str, method: dict[str, str]
) -> None:
    """Jordan 2024, times lr .2 sqrt(max(rows, columns)); queries, keys and values are apart."""
    spec = tiny_spec(**STILL, **MUON, **method, training__weight_decay=0.1)
    torch.manual_seed(0)
    model = build(spec, VOCABULARY, VOCABULARY).train()
    execution = ExecutionConfig(precision=precision)
    updater = Updater(spec, model, execution, EventLog(Path(), writes=False))
    updater.gradient(Share.whole(UPDATE), 1)
    before, gradients = deepcopy(model), deepcopy(model)
    for own, parameter in zip(gradients.parameters(), model.parameters(), strict=True):
        own.data = parameter.grad.clone()
    updater.step(1, updater.flat.norm())
    lr, seen = learning_rate(spec, 1), 0
    for old, gradient, new in zip(*map(matrices, (before, gradients, model)), strict=True):
        longest = max(old.weight.shape)
        step = (old.weight * (1 - lr * 0.1) - new.weight).double().detach()
        step /= lr * 0.2 * longest**0.5
        expected = orthogonal(gradient.weight)
        # Torch iterates in bfloat16.
        assert torch.cosine_similarity(step.flatten(), expected.flatten(), 0) > 0.97, old.kind
        assert step.norm().item() == pytest.approx(expected.norm().item(), rel=0.05)
        seen += old.weight.numel()
    moved = [
        (after, start, gradient)
        for (name, after), start, gradient in zip(
            model.named_parameters(), before.parameters(), gradients.parameters(), strict=True
        )
        if ".layers." not in name or after.dim() == 1
    ]
    for after, start, gradient in moved:
        adam = start * (1 - lr * 0.1) - lr * gradient / (gradient.abs() + spec.training.epsilon)
        torch.testing.assert_close(after, adam)
        seen += after.numel()
    assert seen == sum(p.numel() for p in model.parameters())


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_stopped_run_goes_on_bit_by_bit(tmp_path: Path, dataset: Path, precision: str) -> None:
    spec, how = tiny_spec(**MUON), ExecutionConfig(precision=precision)
    whole, stopped = (new_run(tmp_path / name, dataset, spec) for name in ("whole", "stopped"))
    outcome = trained(whole, how)
    assert outcome["outcome"] == "finished"
    for _ in range(3):
        with pytest.raises(StopRequested):
            trained(stopped, how, signals=["SIGTERM"])
    trained(stopped, how)
    assert apart(whole, stopped) == 0
    by_adam = new_run(tmp_path / "adam", dataset, tiny_spec())
    trained(by_adam, how)
    assert apart(whole, by_adam) > 0

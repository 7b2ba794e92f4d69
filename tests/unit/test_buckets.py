"""A batch padded to its bucket has the gradient of the batch, and its calls depend on no value."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.fx.experimental.proxy_tensor import make_fx

from deepmt.data.batches import Batch
from deepmt.data.buckets import in_bucket
from deepmt.data.vocabulary import EOS, PAD, SPECIALS
from deepmt.kernels import compiled
from deepmt.kernels.flat_parameters import FlatParameters
from deepmt.model import residual
from deepmt.model.build import build
from deepmt.settings.spec import Spec
from deepmt.train.event_log import EventLog
from deepmt.train.execution import ExecutionConfig
from deepmt.train.loss import SmoothedLoss
from deepmt.train.passes import Share
from deepmt.train.update import Updater
from tiny import STILL, TINY, each_option

SETTINGS = TINY | {key.replace("__", "."): value for key, value in STILL.items()}
SPECS = each_option(SETTINGS)
ADDED = "a method that a test adds"
TYPES = 20
ROUNDING = {torch.float64: 1e-13, torch.float32: 3e-6}
Measured = tuple[Tensor, ...]


class AddedResidual(nn.Module):
    """Compute x + tanh(g) F(x) with a learned g."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Parameter(torch.zeros(()))

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        """Combine input and update: [B, T, D] twice -> [B, T, D]."""
        return x + self.gate.tanh() * update


@pytest.fixture(params=[*SPECS, ADDED])
def spec(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Spec:
    """Every option of a model, and one more; by the forms that a GPU computes."""
    monkeypatch.setattr(compiled, "library", lambda number: None)
    if request.param == ADDED:
        monkeypatch.setattr(residual, "residual", lambda spec, index: AddedResidual())
    return SPECS.get(request.param, SPECS["post"])


def batch(seed: int, rows: int, source: int, target: int) -> Batch:
    """Rows of several lengths, up to these."""
    draw = torch.Generator().manual_seed(seed)
    sides = []
    for longest in (source, target):
        tokens = torch.randint(len(SPECIALS), TYPES, (rows, longest), generator=draw)
        ends = torch.randint(longest, (rows, 1), generator=draw)
        ends[seed % rows] = longest - 1
        places = torch.arange(longest)
        sides.append(tokens.where(places != ends, EOS).where(places <= ends, PAD))
    return Batch(*sides)


ONE, OTHER = batch(1, 17, 7, 5), batch(2, 18, 6, 8)
"""Two batches of a bucket."""


def new_model(spec: Spec, dtype: torch.dtype = torch.float64) -> nn.Module:
    """A model whose parameters are random: some begin as zeros."""
    torch.manual_seed(0)
    model = build(spec, TYPES, TYPES)
    if spec.method.encoder_output.name == "transparent":
        model.encoder_output.dropout = 0.0  # not a setting: as in lingvo
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    return model.to(dtype).train()


@pytest.mark.parametrize(
    ("rows", "source", "target", "bucket"),
    [(1, 1, 1, (1, 2)), (16, 3, 4, (16, 4)), (17, 7, 5, (18, 8)), (33, 8, 9, (36, 10))],
)
def test_a_bucket_keeps_the_batch_and_adds_what_counts_for_nothing(
    rows: int, source: int, target: int, bucket: tuple[int, int]
) -> None:
    one = batch(3, rows, source, target)
    found = in_bucket(one)
    assert found.source.shape == found.target.shape == bucket
    assert torch.equal(found.source[:rows, :source], one.source)
    assert torch.equal(found.target[:rows, :target], one.target)
    assert not found.source[:rows, source:].any()
    assert not found.target[:rows, target:].any()
    assert not found.target[rows:].any()
    assert (found.source[rows:, 0] == EOS).all()
    assert not found.source[rows:, 1:].any()
    assert (found.sentences, found.target_tokens) == (rows, one.target_tokens)
    again = in_bucket(found)
    assert torch.equal(again.source, found.source)


def gradient(spec: Spec, dtype: torch.dtype, *, in_buckets: bool) -> Tensor:
    """The gradient of an update of two batches, and its loss and NLL."""
    how = ExecutionConfig(precision="float32")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("deepmt.train.update.takes_buckets", lambda device: in_buckets)
        updater = Updater(spec, new_model(spec, dtype), how, EventLog(Path(), writes=False))
    updater.micro_tokens = 1000
    sums = updater.gradient(Share.whole([ONE, batch(3, 5, 3, 9)]), 1)
    return torch.cat([updater.flat.gradient, torch.stack(sums).to(dtype)])


@pytest.mark.parametrize(
    ("dtype", "average"), [(torch.float64, "sentence"), (torch.float32, "token")]
)
def test_the_gradient_of_a_bucket_is_that_of_its_batch(
    spec: Spec, dtype: torch.dtype, average: Any
) -> None:
    changed = replace(spec, training=replace(spec.training, loss_average=average))
    expected, found = (gradient(changed, dtype, in_buckets=each) for each in (False, True))
    assert (found - expected).norm() < ROUNDING[dtype] * expected.norm()
    assert expected.norm() > 0.1


def update_of(model: nn.Module, loss: SmoothedLoss) -> Callable[..., Measured]:
    """Forward pass, loss and backward pass: loss, NLL and gradient of a batch."""
    flat = FlatParameters(model.parameters())

    def compute(source: Tensor, target: Tensor, weight: Tensor) -> Measured:
        flat.zero_gradient()
        sums = loss.backward(model.output, model(source, target), target, weight)
        return (*sums, flat.gradient.clone())

    return compute


def inputs(one: Batch) -> tuple[Tensor, Tensor, Tensor]:
    found = in_bucket(one)
    return found.source, found.target, torch.tensor(float(one.target_tokens))


@pytest.mark.parametrize(
    "spec",
    ["post", "rnmt+", ADDED]
    + [
        pytest.param(name, marks=pytest.mark.slow)
        for name in SPECS
        if name not in ("post", "rnmt+")
    ],
    indirect=True,
)
def test_what_one_batch_calls_computes_another_of_its_bucket(spec: Spec) -> None:
    """As in a graph of a GPU, no call may depend on what the batch holds."""
    compute = update_of(new_model(spec), SmoothedLoss(0.1, "sentence", TYPES, every_position=True))
    compute(*inputs(ONE))  # makes tables that are kept
    replay = torch.no_grad()(make_fx(compute)(*inputs(ONE)))
    expected = compute(*inputs(OTHER))
    assert all(map(torch.equal, replay(*inputs(OTHER)), expected))
    assert not torch.equal(compute(*inputs(ONE))[2], expected[2])


def test_the_loss_of_real_positions_alone_depends_on_the_batch() -> None:
    compute = update_of(new_model(SPECS["post"]), SmoothedLoss(0.1, "token", TYPES))
    replay = torch.no_grad()(make_fx(compute)(*inputs(ONE)))
    with suppress(RuntimeError):  # of sizes that ONE had
        assert not torch.equal(replay(*inputs(OTHER))[0], compute(*inputs(OTHER))[0])

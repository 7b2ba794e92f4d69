"""Weights in one piece of memory are trained as they would be one by one."""

import io
from copy import deepcopy

import pytest
import torch

from deepmt.kernels.flat_parameters import FlatParameters
from deepmt.machines.cost import STATE_BYTES
from deepmt.model.build import build
from deepmt.train.optimiser import optimiser
from tiny import MATT, tiny_spec

METHODS = [
    {},
    {"method__norm": "pre", "method__layer_aggregation": "dlcl"},
    MATT | {"training__optimizer": "radam"},
    {"method__residual": "omega", "method__initialisation": "admin", "model__cross_fan": "fused"},
    {"training__weight_decay": 0.1},
]


@pytest.mark.parametrize("changes", METHODS, ids=lambda changes: " ".join(map(str, changes)))
def test_steps_are_those_of_weights_one_by_one(changes: dict[str, object]) -> None:
    torch.manual_seed(1)
    spec = tiny_spec(**changes)
    together = build(spec, 24, 24)
    alone = deepcopy(together)
    flat = FlatParameters(together.parameters())
    steppers = [
        optimiser(weights, spec.training) for weights in ([flat.weights], alone.parameters())
    ]
    for update in range(8):
        source, target = torch.randint(4, 24, (2, 3, 7))
        for model, stepper in zip((together, alone), steppers, strict=True):
            torch.manual_seed(update)  # for dropout
            for part in (slice(1), slice(1, 3)):  # as an update in two parts adds up
                states = model(source[part], target[part])
                model.output(states).logsumexp(-1).sum().backward()
            stepper.param_groups[0]["lr"] = 1e-3
        expected = torch.stack([p.grad.square().sum() for p in alone.parameters()]).sum().sqrt()
        assert torch.allclose(flat.norm(), expected)
        for stepper in steppers:
            stepper.step()
        flat.zero_gradient()
        alone.zero_grad()
    named = dict(alone.named_parameters())
    for name, weight in together.named_parameters():
        assert torch.allclose(weight, named[name], atol=1e-6), name


def test_a_state_that_is_loaded_is_what_is_trained() -> None:
    model = build(tiny_spec(), 24, 24)
    flat = FlatParameters(model.parameters())
    model.load_state_dict({name: torch.ones_like(w) for name, w in model.state_dict().items()})
    count = sum(parameter.numel() for parameter in model.parameters())
    assert flat.weights.sum().item() == count
    with torch.no_grad():
        flat.weights.fill_(2.0)
    assert all((parameter == 2.0).all() for parameter in model.parameters())


def test_a_state_holds_weights_and_moments_and_no_gradients() -> None:
    model = torch.nn.Linear(256, 256)
    flat = FlatParameters(model.parameters())
    adam = optimiser([flat.weights], tiny_spec().training)
    adam.step()
    state = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimiser": adam.state_dict()}, state)
    assert flat.weights.numel() == 256 * 257
    assert len(state.getvalue()) == pytest.approx(STATE_BYTES * 256 * 257, rel=0.01)

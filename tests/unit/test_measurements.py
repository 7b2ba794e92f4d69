"""What a run logs while it trains is right, and logging changes nothing."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.settings.method import Method, make_method
from deepmt.train.execution import ExecutionConfig, recompute_layers
from deepmt.train.layer_measures import OutputGradients, layer_weights
from deepmt.train.measurements import LoggingIntervals, RunningLoss
from tiny import every_method, random_model, spec_of
from tiny_runs import apart, events, new_run, trained

SOURCE, TARGET = torch.randint(3, 20, (2, 4, 6), generator=torch.Generator().manual_seed(1))


def model_of(method: Method) -> nn.Module:
    torch.manual_seed(3)
    return random_model(method, encoder__layers=3).eval()


def loss_of(model: nn.Module, rows: slice = slice(None)) -> Tensor:
    return model(SOURCE[rows], TARGET[rows]).square().sum()


def norms_by_autograd(model: nn.Module) -> list[float]:
    outputs: list[Tensor] = []
    hooks = [
        layer.register_forward_hook(lambda layer, inputs, output: outputs.append(output))
        for layer in model.encoder.layers
    ]
    gradients = torch.autograd.grad(loss_of(model), outputs)
    for hook in hooks:
        hook.remove()
    return [float(gradient.norm()) for gradient in gradients]


@every_method
def test_signals_are_the_gradients_of_the_outputs_of_encoder_layers(method: Method) -> None:
    model = model_of(method)
    expected = norms_by_autograd(model)
    assert len(expected) == 3
    signals = OutputGradients()
    signals.begin(model)
    loss_of(model).backward()
    assert signals.take()["encoder"] == pytest.approx(expected, rel=1e-12)
    assert not any(layer._forward_hooks for layer in model.encoder.layers)


def test_signals_of_the_parts_of_an_update_are_those_of_the_whole() -> None:
    model, signals = model_of(make_method(norm="pre")), OutputGradients()
    expected = norms_by_autograd(model)
    signals.begin(model)
    loss_of(model).backward()  # as if memory had not sufficed
    signals.begin(model)
    for rows in (slice(0, 1), slice(1, 4)):
        loss_of(model, rows).backward()
    assert signals.take()["encoder"] == pytest.approx(expected, rel=1e-12)


def test_signals_of_recomputed_layers_count_once() -> None:
    model, signals = model_of(Method()), OutputGradients()
    expected = norms_by_autograd(model)
    recompute_layers(model)
    signals.begin(model)
    loss_of(model.train()).backward()
    assert signals.take()["encoder"] == pytest.approx(expected, rel=1e-12)


def test_shares_of_transparent_attention_are_those_of_translation() -> None:
    model = model_of(make_method(norm="lingvo", encoder_output="transparent")).train()
    assert model.encoder_output.weight.shape == (2, 4)
    expected = [functional.softmax(row, -1).tolist() for row in model.encoder_output.weight]
    for found, row in zip(layer_weights(model)["encoder_output"], expected, strict=True):
        assert found == pytest.approx(row)


def test_rows_of_dlcl_are_what_each_reader_reads() -> None:
    model = model_of(make_method(norm="pre", layer_aggregation="dlcl"))
    found = layer_weights(model)
    assert [len(row) for row in found["encoder"]] == [1, 2, 3, 4]
    assert [len(row) for row in found["decoder"]] == [1, 2, 3]
    assert found["encoder"][2][1] == model.encoder.aggregation.weight[2, 1].item()


def test_rnmt_has_one_reader_and_most_models_none() -> None:
    shares = layer_weights(model_of(make_method(family="rnmt+", encoder_output="transparent")))[
        "encoder_output"
    ]
    assert [len(row) for row in shares] == [3]
    assert layer_weights(model_of(Method())) == {}


def test_the_running_loss_is_a_mean_over_tokens_since_it_was_last_taken() -> None:
    running = RunningLoss()
    running.add(9.0, 99.0, 1)
    running.take()
    running.add(2.0, 10.0, 5)
    running.add(4.0, 2.0, 1)
    assert running.take() == {"loss": 3.0, "ppl": pytest.approx(math.exp(2.0))}


@pytest.mark.parametrize(
    ("method", "execution"),
    [
        (make_method(norm="pre", layer_aggregation="dlcl"), ExecutionConfig()),
        (
            make_method(norm="lingvo", encoder_output="transparent"),
            ExecutionConfig(micro_tokens=20),
        ),
    ],
)
def test_measurements_change_nothing(
    tmp_path: Path, dataset: Path, method: Method, execution: ExecutionConfig
) -> None:
    spec = spec_of(method, training__dropout=0.3)
    silent = new_run(tmp_path / "silent", dataset, spec)
    logging = replace(silent, output=tmp_path / "logging/outcome.json")
    every = LoggingIntervals(dev_every=6, gradients_every=5, layer_weights_every=7)
    trained(silent, execution)
    trained(logging, execution, every=every)
    assert apart(silent, logging) == 0
    for kind in ("gradients", "output_gradients", "training"):
        assert [event["update"] for event in events(logging, kind)] == [5, 10, 15, 20]
    assert [event["update"] for event in events(logging, "dev")] == [6, 12, 18, 20]
    assert [event["update"] for event in events(logging, "layer_weights")] == [7, 14, 20]
    assert all(
        norm > 0 for event in events(logging, "output_gradients") for norm in event["encoder"]
    )

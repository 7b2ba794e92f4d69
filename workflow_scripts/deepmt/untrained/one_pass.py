"""Measure one forward and backward pass of an untrained model."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from deepmt.data.vocabulary import PAD
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.settings.spec import Spec
from deepmt.train.layer_measures import gradient_norms
from deepmt.train.loss import SmoothedLoss
from deepmt.untrained.probe_batch import ProbeBatch
from deepmt.untrained.signals import by_position, record_sublayers, summed


@dataclass(frozen=True, kw_only=True)
class Value:
    """Hold one quantity of one seed; `sublayer` is empty for a whole layer."""

    stack: str
    layer: int
    sublayer: str = ""
    quantity: str
    value: float


def initialised(spec: Spec, probe: ProbeBatch, seed: int) -> nn.Module:
    """Return the initialised model of a spec."""
    torch.manual_seed(seed)
    model = build(spec, probe.source_types, probe.target_types)
    initialise_(model, spec, lambda: (probe.batch.source, probe.batch.target))
    return model.train()


def backward(spec: Spec, model: nn.Module, probe: ProbeBatch) -> None:
    """Compute the gradients of the spec's own loss with dropout, as in the first update."""
    target = probe.batch.target
    loss = SmoothedLoss.of(spec.training, probe.target_types)
    states = model(probe.batch.source, target)
    (loss(model.output, states, target) / loss.weight(probe.batch)).backward()


def signals(spec: Spec, probe: ProbeBatch, seed: int) -> list[Value]:
    """Return Var(r) and the ratios of Eq. 14 by sublayer."""
    model = initialised(spec, probe, seed)
    # Gradients of layer weights would take a third of the time.
    model.encoder.requires_grad_(False)
    model.decoder.requires_grad_(False)
    recorders = record_sublayers(model)
    backward(spec, model, probe)
    masks = {"encoder": probe.batch.source != PAD, "decoder": probe.batch.target != PAD}
    values = []
    for recorder in recorders:
        mask = masks[recorder.place["stack"]]
        position_ratios = recorder.ratios(mask, by_position)
        found = {"var_r": recorder.variance(mask)} | recorder.ratios(mask, summed)
        found |= {f"{key}_by_position": value for key, value in position_ratios.items()}
        values += [Value(**recorder.place, quantity=name, value=v) for name, v in found.items()]
    return values


def growth(spec: Spec, probe: ProbeBatch, seed: int) -> list[Value]:
    """Return gradient norm and variance of the output of each layer, before any final norm."""
    model = initialised(spec, probe, seed)
    masks = {"encoder": probe.batch.source != PAD, "decoder": probe.batch.target != PAD}
    values: list[Value] = []

    def measure(place: dict[str, Any], layer: nn.Module, inputs: Any, y: Tensor) -> None:
        variance = y.detach()[masks[place["stack"]]].var(correction=0).item()
        values.append(Value(**place, quantity="variance", value=variance))

    for stack in masks:
        for number, layer in enumerate(getattr(model, stack).layers, start=1):
            layer.register_forward_hook(partial(measure, {"stack": stack, "layer": number}))
    backward(spec, model, probe)
    return values + [
        Value(stack=stack, layer=layer, quantity="gradient_norm", value=norm)
        for stack, norms in gradient_norms(model).items()
        for layer, norm in enumerate(norms, start=1)
    ]

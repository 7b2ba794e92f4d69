"""A spec that trains in a second, its variations, and one method of each kind."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from deepmt.data.vocabulary import EOS, PAD
from deepmt.model.build import build
from deepmt.settings.method import CHOICES, Method, make_method
from deepmt.settings.methods.dlcl_options import Dlcl
from deepmt.settings.spec import Spec, SpecError, make_spec

TINY: dict[str, Any] = {
    "encoder.layers": 2,
    "encoder.d_model": 16,
    "encoder.feed_forward": 32,
    "encoder.heads": 2,
    "decoder.layers": 2,
    "decoder.d_model": 16,
    "decoder.feed_forward": 32,
    "decoder.heads": 2,
    "data.corpus": "tiny.en-de",
    "data.source": "en",
    "data.target": "de",
    "training.updates": 20,
    "training.batch_tokens": 60,
    "training.lr": 1e-2,
    "training.warmup": 5,
    "training.checkpoint_every": 4,
    "training.average_last": 2,
    "training.divergence_patience": 1.0,
}
STILL = {"training__dropout": 0.0, "training__embedding_dropout": 0.0}
LINEAR = STILL | {"training__loss_average": "sentence", "training__epsilon": 1.0}
"""With a large epsilon Adam's step is linear in the gradient, so rounding stays rounding."""
MATT = {"method__decoder_self_attention": "saan", "method__decoder_layer": "merged"}
"""Merged attention, as keywords of `tiny_spec`."""


def tiny_spec(**changes: Any) -> Spec:
    """A spec that trains in a second; `changes` replace dots by two underscores."""
    settings = TINY | {key.replace("__", "."): value for key, value in changes.items()}
    return make_spec(settings)


def random_sentences(types: int, *lengths: int) -> Tensor:
    """Tokens that end in EOS, padded on the right."""
    rows = [torch.randint(3, types, (length,)) for length in lengths]
    for row in rows:
        row[-1] = EOS
    return pad_sequence(rows, batch_first=True, padding_value=PAD)


def problems_of(settings: dict[str, Any]) -> dict[str, str]:
    """What is wrong with settings, by key."""
    try:
        make_spec(settings)
    except SpecError as error:
        return dict(error.problems)
    return {}


OPTIONS = [{f"method.{choice}": name} for choice, names in CHOICES.items() for name in names]


def each_option(settings: dict[str, Any]) -> dict[str, Spec]:
    """One spec for every option of a model, with a second one if it needs that, by its words."""
    specs = (
        legal(settings | option) for option in OPTIONS if "method.initialisation" not in option
    )
    return {"-".join(spec.method.words): spec for spec in specs}


def legal(settings: dict[str, Any]) -> Spec:
    """The first spec of these settings that is valid: as they are, or with one option more."""
    others: list[dict[str, str]] = [{}, {"model.tie": "none"}, *OPTIONS]
    found = (other | settings for other in others)
    return next(make_spec(one) for one in found if not problems_of(one))


METHODS = [
    Method(),
    make_method(norm="pre", layer_aggregation="dlcl"),
    make_method(layer_aggregation=Dlcl(weights="average")),
    make_method(norm="lingvo", encoder_output="transparent"),
    make_method(norm="pre", layer_aggregation="attention_residuals"),
    make_method(norm="b2t"),
    make_method(norm="sub_ln"),
    make_method(norm="hyper_connections", residual="hyper_connections"),
    make_method(norm="pre", layer_aggregation="denseformer"),
    make_method(residual="omega", initialisation="admin_closed"),
    make_method(decoder_self_attention="aan"),
    make_method(decoder_self_attention="saan", decoder_layer="merged"),
    make_method(family="rnmt+", encoder_output="transparent"),
]
every_method = pytest.mark.parametrize(
    "method", METHODS, ids=lambda method: "-".join(method.names.values())
)


def spec_of(method: Method, **changes: Any) -> Spec:
    """The spec with a method; RNMT+ ties no tables, and lingvo's pre-norm learns a query scale."""
    own = {
        "model__tie": "none" if method.family.name == "rnmt+" else "target",
        "model__query_scale": "learned" if method.norm.name == "lingvo" else "fixed",
    }
    return replace(tiny_spec(**own | changes), method=method)


def random_model(method: Method, **changes: Any) -> nn.Module:
    """A model in float64 without dropout, whose parameters are random: some begin as zeros."""
    model = build(spec_of(method, **STILL, **changes), 20, 20).double()
    if method.encoder_output.name == "transparent":
        model.encoder_output.dropout = 0.0
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    return model

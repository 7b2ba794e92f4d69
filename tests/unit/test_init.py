import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from deepmt.data.vocabulary import PAD
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.settings.method import make_method
from deepmt.settings.methods.ds_init_options import DsInit
from deepmt.settings.methods.transformer_options import Glorot
from deepmt.settings.spec import Model, Stack
from tiny import tiny_spec

VOCABULARY = 500
SIZE = {"d_model": 64, "feed_forward": 256, "heads": 4}
GLOROT = math.sqrt(6 / (64 + 256))
"""Of the feed-forward matrices."""


def ds_init(**options):
    return make_method(initialisation=DsInit(**options))


def spec(layers=4, **sections):
    stack = Stack(layers=layers, **SIZE)
    return replace(tiny_spec(), encoder=stack, decoder=stack, **sections)


def no_batch():
    raise AssertionError("only ADMIN measures a batch")


def started(settings, batch=no_batch):
    torch.manual_seed(4)
    model = build(settings, VOCABULARY, VOCABULARY)
    return model, initialise_(model, settings, batch)


def factors(model, stack):
    """The largest feed-forward weight of each layer over the Glorot bound."""
    layers = getattr(model, stack).layers
    return [layer.feed_forward.f.inner.weight.abs().max().item() / GLOROT for layer in layers]


@pytest.mark.parametrize("decay", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_the_bound_of_layer_l_is_alpha_l_to_the_minus_decay_of_glorots(decay, alpha):
    model, _ = started(spec(method=ds_init(exponent=decay, alpha=alpha)))
    expected = [alpha * layer**-decay for layer in range(1, 5)]
    for stack in ("encoder", "decoder"):
        assert factors(model, stack) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("stacks", "shrunk"),
    [("both", {"encoder", "decoder"}), ("encoder", {"encoder"}), ("decoder", {"decoder"})],
)
def test_only_the_stacks_named_are_shrunk(stacks, shrunk):
    model, _ = started(spec(method=ds_init(stacks=stacks)))
    for stack in ("encoder", "decoder"):
        assert (factors(model, stack)[3] < 0.8) == (stack in shrunk)


def test_ds_init_shrinks_every_matrix_of_a_layer_and_nothing_else():
    options = DsInit(exponent=1.0, alpha=1e-6)
    method = make_method(decoder_self_attention="aan", initialisation=options)
    model, _ = started(spec(method=method))
    large = [name for name, p in model.named_parameters() if p.abs().max() > 1e-4]
    assert {name.split(".")[0] for name in large if "after" not in name} == {"source", "target"}
    assert all(name.endswith("after.weight") for name in large if "layers" in name)


@pytest.mark.parametrize("name", ["glorot", "ds_init"])
def test_biases_start_at_0_and_gains_at_1(name):
    model, _ = started(spec(method=make_method(initialisation=name)))
    for key, parameter in model.named_parameters():
        if key.endswith("bias"):
            assert parameter.abs().max() == 0
        if key.endswith("after.weight"):
            assert (parameter == 1).all()


@pytest.mark.parametrize("name", ["glorot", "ds_init", "tfixup"])
def test_biases_of_queries_keys_and_values_may_start_as_torch_draws_them(name):
    method = make_method(norm="none" if name == "tfixup" else "post", initialisation=name)
    model, _ = started(spec(model=Model(attention_biases="uniform"), method=method))
    biases = {key: value for key, value in model.named_parameters() if key.endswith("bias")}
    uniform = [key for key in biases if key.endswith(("key_value.bias", "query.bias"))]
    assert len(uniform) == 4 * 4
    values = torch.cat([biases.pop(key).detach() for key in uniform]) * 64**0.5
    quarters = torch.histc(values, bins=4, min=-1, max=1) / values.numel()
    assert quarters.tolist() == pytest.approx([0.25] * 4, abs=0.04)
    assert not any(bias.any() for bias in biases.values())


@pytest.mark.parametrize("tie", ["none", "target", "all"])
def test_the_embedding_of_padding_may_start_at_0(tie):
    data = replace(tiny_spec().data, shared_vocabulary=True)
    model, _ = started(spec(model=Model(tie=tie, padding_embedding="zero"), data=data))
    for table in (model.source.table.weight, model.target.table.weight):
        assert [row for row, each in enumerate(table) if not each.any()] == [PAD]


@pytest.mark.parametrize("tie", ["none", "target", "all"])
def test_embeddings_and_the_softmax_deviate_by_the_root_of_1_over_d(tie):
    data = replace(tiny_spec().data, shared_vocabulary=True)
    model, _ = started(spec(model=Model(tie=tie), data=data))
    for table in (model.source.table, model.target.table, model.output):
        assert table.weight.std().item() == pytest.approx(64**-0.5, rel=0.03)


def test_draws_are_uniform():
    model, _ = started(spec())
    weight = model.encoder.layers[0].feed_forward.f.inner.weight.detach().flatten() / GLOROT
    quarters = torch.histc(weight, bins=4, min=-1, max=1) / weight.numel()
    assert quarters.tolist() == pytest.approx([0.25] * 4, abs=0.02)


def test_only_admin_looks_at_a_batch():
    batch = torch.randint(3, VOCABULARY, (2, 3, 5))
    settings = spec(method=make_method(residual="omega", initialisation="admin"))
    _, profile = started(settings, lambda: tuple(batch))
    assert {stack: len(omegas) for stack, omegas in profile.items()} == {
        "encoder": 8,
        "decoder": 12,
    }
    assert started(spec())[1] == {}


def test_everything_may_be_drawn_from_the_same_bounds_gains_of_norms_too():
    """OpenNMT-py: p.data.uniform_(-0.1, 0.1) for p in model.parameters()."""
    details = Model(tie="none", softmax_bias=True, input_bias=True)
    model, _ = started(spec(model=details, method=make_method(initialisation="uniform")))
    for parameter in model.parameters():
        assert 0 < parameter.abs().max() <= 0.1
    every = torch.cat([p.detach().flatten() for p in model.parameters()])
    assert every.std().item() == pytest.approx(0.2 / math.sqrt(12), rel=0.01)
    gains = torch.cat([x for key, x in model.named_parameters() if key.endswith("after.weight")])
    assert (torch.histc(gains.detach(), 2, -0.1, 0.1) / gains.numel()).tolist() == pytest.approx(
        [0.5, 0.5], abs=0.08
    )


def test_matrices_and_embeddings_may_all_be_normal_with_one_deviation():
    """HuggingFace Transformers: init_std 0.02, biases 0, gains 1."""
    method = make_method(initialisation="normal")
    model, _ = started(spec(model=Model(tie="none", softmax_bias=True), method=method))
    for key, parameter in model.named_parameters():
        if parameter.dim() == 2:
            assert parameter.std().item() == pytest.approx(0.02, rel=0.05), key
            assert abs(parameter.mean().item()) < 0.001
            assert parameter.abs().max() > 0.05  # beyond the bound of a uniform one
        else:
            assert (parameter == (0.0 if key.endswith("bias") else 1.0)).all(), key


@pytest.mark.parametrize("name", ["uniform", "normal"])
def test_what_a_method_adds_begins_as_the_method_says(name):
    method = make_method(norm="pre", layer_aggregation="dlcl", initialisation=name)
    weights = [
        x for key, x in started(spec(method=method))[0].named_parameters() if "weight" in key
    ]
    plain = make_method(norm="pre", layer_aggregation="dlcl")
    others = [x for key, x in started(spec(method=plain))[0].named_parameters() if "weight" in key]
    same = [a for a, b in zip(weights, others, strict=True) if torch.equal(a, b)]
    assert any(each.dim() == 2 for each in same)


def test_feed_forward_layers_may_be_drawn_as_torch_draws_them():
    method = make_method(initialisation=Glorot(feed_forward="torch"))
    model, _ = started(spec(method=method))
    plain = started(spec())[0].state_dict()
    drawn = {key for key, value in model.state_dict().items() if not torch.equal(value, plain[key])}
    expected = {"inner.weight", "inner.bias", "outer.weight", "outer.bias"}
    assert {".".join(key.split(".")[-2:]) for key in drawn} == expected
    assert all(".feed_forward." in key for key in drawn)
    for name in expected:
        found = torch.cat([model.state_dict()[k].flatten() for k in drawn if k.endswith(name)])
        size = (64, 256) if "inner" in name else (256, 64)
        own = torch.cat([getattr(nn.Linear(*size), name[6:]).flatten() for _ in range(8)]).detach()
        assert found.std().item() == pytest.approx(own.std().item(), rel=0.06), name
        assert found.abs().max().item() == pytest.approx(own.abs().max().item(), rel=0.02), name


@pytest.mark.parametrize("tie", ["none", "target", "all"])
def test_embeddings_may_be_drawn_by_glorots_rule(tie):
    """As nn.init.xavier_uniform_ draws a table [V, D], in joeynmt and sockeye."""
    data = replace(tiny_spec().data, shared_vocabulary=True)
    method = make_method(initialisation=Glorot(embeddings="glorot"))
    model, _ = started(spec(model=Model(tie=tie), data=data, method=method))
    theirs = nn.init.xavier_uniform_(torch.empty(VOCABULARY, 64))
    for table in (model.source.table, model.target.table, model.output):
        assert table.weight.std().item() == pytest.approx(theirs.std().item(), rel=0.03)
        assert table.weight.abs().max().item() == pytest.approx(theirs.max().item(), rel=0.01)

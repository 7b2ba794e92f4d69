import math
from dataclasses import replace

import pytest
import torch

from deepmt.data.vocabulary import PAD
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.settings.method import make_method
from deepmt.settings.methods.ds_init_options import DsInit
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

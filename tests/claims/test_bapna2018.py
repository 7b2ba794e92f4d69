import math

import torch
from models import all_true, disturbed, layer_norm, sentences, spec, started
from vanishing import reach

from deepmt.model.attention import LearnedScale
from deepmt.model.residual import NoResidual, PlainResidual
from deepmt.model.transparent import TransparentOutput
from deepmt.settings.method import make_method
from deepmt.settings.spec import Model

LINGVO = make_method(norm="lingvo")
TRANSPARENT = make_method(norm="lingvo", encoder_output="transparent")


def test_transparent_attention_keeps_the_gradient_of_the_first_encoder_layer():
    for norm in ("lingvo", "post"):
        method = make_method(norm=norm, encoder_output="transparent")
        assert reach("encoder", 18, 6, method=method) > 3
        assert reach("encoder", 18, 6, method=make_method(norm=norm)) < 1.5


def test_transparent_attention_helps_a_deep_decoder_too():
    transparent = reach("decoder", method=make_method(encoder_output="transparent"))
    assert transparent > 5 * reach("decoder")


def test_vanilla_gradients_vanish_towards_the_first_decoder_layer():
    assert reach("decoder", method=LINGVO) < 0.05


def test_each_memory_starts_as_the_mean_of_all_layers_with_the_embedding():
    model = started(spec(encoder=3, decoder=2, method=TRANSPARENT))
    source = sentences(5, 5)
    layers = model.encoder.layer_outputs(model.source(source), all_true(source))
    assert len(layers) == 4
    for memory in model.encode(source).states:
        torch.testing.assert_close(memory, sum(layers) / 4)


def test_each_decoder_layer_mixes_by_a_softmax_of_its_own():
    mix = TransparentOutput(outputs=2, layers=3, dropout=0.0).double()
    mix.weight.data = torch.randn(2, 3).double()
    layers = [torch.randn(1, 2, 4).double() for _ in range(3)]
    for j, memory in enumerate(mix(layers, torch.nn.Identity())):
        powers = [math.exp(mix.weight[j, k].item()) for k in range(3)]
        expected = sum(p / sum(powers) * h for p, h in zip(powers, layers, strict=True))
        torch.testing.assert_close(memory, expected)


def test_dropout_falls_on_logits_that_are_not_0():
    mix = TransparentOutput(outputs=500, layers=2, dropout=0.1).train()
    kept, dropped = math.exp(0.5 / 0.9), 1.0
    possible = torch.tensor([0.5, kept / (kept + dropped), dropped / (kept + dropped)])
    shares = mix.softmax_weights()[:, 0]
    assert (shares[:, None] - possible).abs().min(1).values.max() < 1e-6
    assert len(shares.round(decimals=4).unique()) == 3


def test_a_mix_has_one_scalar_for_each_decoder_layer_and_encoder_layer():
    sizes = [
        sum(p.numel() for p in started(spec(5, 4, method=method)).parameters())
        for method in (LINGVO, TRANSPARENT)
    ]
    assert sizes[1] - sizes[0] == 4 * (5 + 1)


def test_the_embedding_has_a_gradient_that_passes_no_layer():
    model = started(spec(encoder=3, method=TRANSPARENT))
    for layer in model.encoder.layers:
        layer.register_forward_hook(lambda module, inputs, output: output.detach())
    model(sentences(5, 5), sentences(4, 4)).square().sum().backward()
    assert model.source.table.weight.grad.abs().max() > 0


def test_the_skip_of_an_attention_sublayer_starts_after_its_norm():
    layer = disturbed(spec(method=LINGVO)).encoder.layers[0]
    x = torch.randn(1, 3, 8).double()
    u = torch.stack([layer_norm(row, layer.attention.entry) for row in x[0]])[None]
    y = u + layer.attention.f(u, all_true(x[..., 0]))
    v = torch.stack([layer_norm(row, layer.feed_forward.before) for row in y[0]])[None]
    expected = y + layer.feed_forward.f(v)
    torch.testing.assert_close(layer(x, all_true(x[..., 0])), expected)


def test_a_lingvo_stack_has_no_final_norm():
    assert isinstance(started(spec(method=LINGVO)).encoder.final, torch.nn.Identity)


def test_without_residuals_an_encoder_sublayer_is_its_function_of_the_normed_input():
    model = disturbed(spec(method=make_method(norm="lingvo", encoder_residual=False)))
    sublayer = model.encoder.layers[0].feed_forward
    x = torch.randn(1, 3, 8).double()
    torch.testing.assert_close(sublayer(x), sublayer.f(sublayer.before(x)))


def test_without_encoder_residuals_the_decoder_keeps_its_own():
    model = started(spec(method=make_method(norm="lingvo", encoder_residual=False)))
    skips = [
        {type(m.residual) for m in stack.modules() if hasattr(m, "residual")}
        for stack in (model.encoder, model.decoder)
    ]
    assert skips == [{NoResidual}, {PlainResidual}]


def test_the_learned_query_scale_is_softplus_over_its_start():
    scale = LearnedScale(4).double()
    query = torch.randn(1, 2, 3, 4).double()
    assert torch.allclose(scale(query), query)
    scale.weight.data = torch.randn(4).double()
    factors = [math.log(1 + math.exp(w)) / math.log(2) for w in scale.weight.tolist()]
    torch.testing.assert_close(scale(query), query * torch.tensor(factors).double())


def test_nothing_is_tied():
    model = started(spec(model=Model(tie="none", softmax_bias=True)))
    tables = [model.source.table.weight, model.target.table.weight, model.output.weight]
    assert len({id(table) for table in tables}) == 3

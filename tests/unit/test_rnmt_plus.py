from dataclasses import replace
from functools import partial

import pytest
import torch
from torch.nn import functional

from deepmt.data.vocabulary import EOS, PAD
from deepmt.decode.search import beam_search
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.model.lstm import Lstm
from deepmt.settings.method import make_method
from deepmt.settings.spec import Decoding, Model, Stack
from tiny import random_sentences, tiny_spec

VOCABULARY = 11
sentences = partial(random_sentences, VOCABULARY)
METHODS = {
    "plain": {},
    "no-residual": {"encoder_residual": False},
    "transparent": {"encoder_output": "transparent"},
    "transparent-no-residual": {"encoder_output": "transparent", "encoder_residual": False},
}
methods = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def rnmt(width=8, encoder=4, decoder=3, dropout=0.0, **method):
    stack = {"d_model": width, "feed_forward": width, "heads": 4}
    rates = ("dropout", "embedding_dropout", "attention_dropout")
    plain = tiny_spec(training__lr=5e-3, **{f"training__{rate}": dropout for rate in rates})
    return replace(
        plain,
        encoder=Stack(layers=encoder, **stack),
        decoder=Stack(layers=decoder, **stack),
        method=make_method(family="rnmt+", **method),
        model=Model(tie="none", softmax_bias=True, norm_epsilon=1e-8),
    )


def random_model(spec):
    """In float64, every parameter drawn wide, so that nothing is hidden by small numbers."""
    torch.manual_seed(3)
    model = build(spec, VOCABULARY, VOCABULARY).double().eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return model


def test_the_output_of_the_attending_layer_is_not_dropped():
    """lingvo's decoder drops embeddings, attention weights and the outputs of later layers."""
    layer = random_model(rnmt(dropout=0.5)).decoder.layers[0]
    x, memory, mask = torch.randn(3, 5, 8), torch.randn(3, 4, 8), torch.ones(3, 1, 1, 4) > 0
    still = layer(x.double(), memory.double(), mask)
    layer.train().attention.dropout.p = 0.0
    for ours, theirs in zip(layer(x.double(), memory.double(), mask), still, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_transparent_attention_adds_one_scalar_a_layer():
    sizes = [
        sum(p.numel() for p in build(rnmt(encoder_output=output), 5, 5).parameters())
        for output in ("top", "transparent")
    ]
    assert sizes[1] - sizes[0] == 4


def test_both_directions_of_the_encoder_reach_every_position():
    model = random_model(rnmt(encoder=1))
    embedded = model.source(sentences(5)).detach().requires_grad_()
    (layer,) = model.encoder.layer_outputs(embedded, torch.ones(1, 5, dtype=torch.bool))
    ends = layer[0, 0].sum() + layer[0, -1].sum()
    (gradient,) = torch.autograd.grad(ends, embedded)
    assert (gradient[0].norm(dim=-1) > 0).all()


def test_at_the_start_transparent_attention_projects_the_mean_of_the_layers():
    model = build(rnmt(encoder_output="transparent"), VOCABULARY, VOCABULARY).eval()
    initialise_(
        model, rnmt(encoder_output="transparent"), lambda: pytest.fail("no batch is needed")
    )
    source = sentences(5, 8)
    layers = model.encoder.layer_outputs(model.source(source), source != PAD)
    mean = model.encoder.projection(torch.stack(layers).mean(0))
    assert len(layers) == 4
    torch.testing.assert_close(model.encode(source).states, [mean])


def without_cells(model):
    """Every m becomes 0, whatever is read: only skips are left."""
    for module in model.modules():
        if isinstance(module, Lstm):
            torch.nn.init.zeros_(module.kernel)
            torch.nn.init.zeros_(module.bias)
    return model


@pytest.mark.parametrize("residual", [True, False])
def test_encoder_skips_start_at_the_third_layer_unless_taken_out(residual):
    model = without_cells(random_model(rnmt(encoder_residual=residual)))
    x, order = torch.ones(1, 5, 16).double(), torch.zeros(5, 1, 1).long()
    skips = [bool(layer(x, order).any()) for layer in model.encoder.layers[1:]]
    assert not model.encoder.layers[0](x[..., :8], order).any()
    assert skips == [False, residual, residual]


@pytest.mark.parametrize("residual", [True, False])
def test_decoder_skips_start_at_the_third_layer_always(residual):
    model = without_cells(random_model(rnmt(decoder=4, encoder_residual=residual)))
    x = torch.ones(1, 5, 8).double()
    assert [bool(layer(x, x).any()) for layer in model.decoder.layers[1:]] == [False, True, True]


@pytest.mark.parametrize(
    ("ending", "deviation"),
    [
        ("lstm.kernel", 0.04 / 3**0.5),
        ("source.0.weight", 0.04 / 3**0.5),
        ("target.0.weight", 0.04 / 3**0.5),
        ("output.weight", 0.04 / 3**0.5),
        ("attention.source.weight", (2 / (64 + 64)) ** 0.5),
        ("attention.query.weight", (2 / (64 + 64)) ** 0.5),
        ("projection.weight", (2 / (128 + 64)) ** 0.5),
        ("of_key.weight", 16**-0.5),
        ("of_query.weight", 16**-0.5),
    ],
)
def test_matrices_are_drawn_as_in_lingvo(ending, deviation):
    spec = rnmt(width=64)
    model = build(spec, 200, 200)
    assert initialise_(model, spec, lambda: pytest.fail("no batch is needed")) == {}
    drawn = [p for name, p in model.named_parameters() if name.endswith(ending)]
    assert drawn
    for parameter in drawn:
        assert float(parameter.detach().std()) == pytest.approx(deviation, rel=0.15)


def test_biases_and_norm_scales_start_at_zero():
    spec = rnmt(encoder_output="transparent")
    model = random_model(spec)
    initialise_(model, spec, lambda: pytest.fail("no batch is needed"))
    vectors = [p for name, p in model.named_parameters() if name.endswith(("bias", "scale"))]
    assert len(vectors) == 2 * 7 + 4
    assert not any(vector.any() for vector in vectors)


@methods
def test_beam_search_finds_what_step_by_step_scoring_gives(method):
    model = random_model(rnmt(**method))
    source = sentences(5, 8, 3)
    settings = Decoding(beam=3, max_extra=4, alpha=0.0)
    for found, row in zip(beam_search(model, source, settings), source, strict=True):
        target = torch.tensor([[*found.tokens, EOS]])
        scores = model.output(model(row[row != PAD][None], target)).log_softmax(-1)
        total = scores.gather(2, target[:, :, None]).sum()
        assert found.score == pytest.approx(total.item(), abs=1e-5)


def test_the_first_context_is_attention_with_a_zero_query():
    model = random_model(rnmt(decoder=1))
    memory = model.encode(sentences(4))
    first = model.decoder.layers[0]
    key, value = first.attention.project(memory.states[0])
    context = first.attention(torch.zeros(1, 1, 8).double(), key, value, memory.mask)
    x = torch.cat([model.target(torch.tensor([[EOS]])), context], -1)
    product = functional.linear(x, first.lstm.kernel[0, :16].T)
    m, _ = first.lstm.step()(product, torch.zeros(1, 1, 16).double(), torch.zeros(1, 1, 8).double())
    torch.testing.assert_close(model.decode(memory, torch.tensor([[EOS]]))[..., :8], m)

from dataclasses import replace

import pytest
import torch
from models import all_true, disturbed, layer_norm, sentences, spec, started
from torch_layers import assert_equal_outputs_and_gradients
from vanishing import reach

from deepmt.decode.beam import length_penalty
from deepmt.settings.method import make_method
from deepmt.settings.methods.dlcl_options import Dlcl
from deepmt.train.learning_rate import inverse_sqrt
from deepmt.train.loss import SmoothedLoss, smoothing_epsilon

PRE = make_method(norm="pre")
BOTH_NORMS = pytest.mark.parametrize("norm", ["post", "pre"])


def dlcl(norm, **options):
    return make_method(norm=norm, layer_aggregation=Dlcl(**options))


@BOTH_NORMS
def test_dlcl_keeps_the_gradient_of_the_first_decoder_layer(norm):
    assert reach("decoder", method=dlcl(norm)) > 1


def test_pre_norm_keeps_the_gradient_of_the_first_decoder_layer():
    assert reach("decoder", method=PRE) > 0.5


def test_pre_norm_equals_torch_layers_with_the_same_weights():
    assert_equal_outputs_and_gradients(PRE, norm_first=True)


def test_a_pre_norm_stack_ends_in_a_norm_and_a_post_norm_stack_does_not():
    finals = [started(spec(method=make_method(norm=n))).encoder.final for n in ("pre", "post")]
    assert [isinstance(final, torch.nn.LayerNorm) for final in finals] == [True, False]


def states(stack, x, mask):
    """y_0..y_L and what is read after each, by Eqs. 7 to 9 with plain loops."""
    inputs, y, read = stack.aggregation, [x], []
    for i in range(len(stack.layers) + 1):
        terms = [inputs.weight[i, k] * normed(inputs.before[k], y[k]) for k in range(i + 1)]
        read.append(normed(inputs.after[i], sum(terms)))
        if i < len(stack.layers):
            y.append(stack.layers[i](read[-1], mask))
    return read


def normed(norm, x):
    if isinstance(norm, torch.nn.Identity):
        return x
    return torch.stack([torch.stack([layer_norm(row, norm) for row in rows]) for rows in x])


@BOTH_NORMS
def test_every_layer_reads_the_weighted_sum_of_all_earlier_ones(norm):
    stack = disturbed(spec(encoder=3, method=dlcl(norm))).encoder
    x = torch.randn(2, 3, 8).double()
    expected = states(stack, x, all_true(x[..., 0]))
    for ours, theirs in zip(stack.layer_outputs(x, all_true(x[..., 0])), expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


@BOTH_NORMS
def test_the_embedding_is_not_normalised(norm):
    inputs = started(spec(method=dlcl(norm))).encoder.aggregation
    assert isinstance(inputs.before[0], torch.nn.Identity)
    assert isinstance(inputs.after[0], torch.nn.Identity)


@BOTH_NORMS
def test_pre_norm_has_a_norm_for_each_layer_before_and_post_norm_after_the_sum(norm):
    inputs = started(spec(encoder=3, method=dlcl(norm))).encoder.aggregation
    norms = [inputs.before, inputs.after] if norm == "pre" else [inputs.after, inputs.before]
    counts = [sum(isinstance(m, torch.nn.LayerNorm) for m in part) for part in norms]
    assert counts == [3, 0]


@BOTH_NORMS
def test_without_norms_the_identity_matrix_gives_the_plain_stack(norm):
    plain = disturbed(spec(encoder=3, method=make_method(norm=norm)))
    combined = started(
        spec(encoder=3, method=make_method(norm=norm, layer_aggregation=Dlcl(norm=False)))
    )
    combined.load_state_dict(plain.state_dict(), strict=False)
    for stack in (combined.encoder, combined.decoder):
        stack.aggregation.weight.data = torch.eye(len(stack.layers) + 1).double()
    source, target = sentences(5, 3), sentences(4, 4)
    assert torch.equal(combined(source, target), plain(source, target))


@pytest.mark.parametrize("weights", ["learned", "average"])
def test_the_weights_of_a_layer_start_alike_and_sum_to_1(weights):
    weight = started(
        spec(encoder=4, method=dlcl("pre", weights=weights))
    ).encoder.aggregation.weight
    assert torch.allclose(weight.sum(1), torch.ones(5).double())
    assert torch.equal(weight, weight.tril())
    assert (weight[3, :4] == weight[3, 0]).all()


@pytest.mark.parametrize("weights", ["one", "average"])
def test_fixed_weights_are_not_trained(weights):
    inputs = started(spec(method=dlcl("pre", weights=weights))).encoder.aggregation
    assert not inputs.weight.requires_grad
    assert weights == "average" or (inputs.weight.tril() == inputs.weight).all()


def test_only_weights_of_earlier_layers_learn():
    model = disturbed(spec(encoder=3, method=dlcl("pre")))
    model(sentences(5, 3), sentences(4, 4)).square().sum().backward()
    gradient = model.encoder.aggregation.weight.grad
    assert (gradient.tril() != 0).sum() == 4 + 3 + 2 + 1
    assert torch.equal(gradient, gradient.tril())


def test_smoothed_mass_goes_to_all_classes():
    logits, gold, classes = torch.randn(3, 7).double(), torch.tensor([1, 5, 6]), 7
    loss = SmoothedLoss(smoothing_epsilon(0.1, "all", classes), "token")
    expected = 0.0
    for row, g in zip(logits, gold, strict=True):
        log_p = row - torch.log(sum(torch.exp(row)))
        expected -= 0.9 * log_p[g] + sum(0.1 / 7 * log_p[v] for v in range(classes))
    assert loss(torch.nn.Identity(), logits[None], gold[None]) == pytest.approx(float(expected))


@pytest.mark.parametrize(("lr", "warmup"), [(7e-4, 4000), (1e-3, 8000), (2e-3, 16000)])
def test_the_learning_rate_rises_in_a_line_and_falls_with_the_root(lr, warmup):
    recipe = replace(spec().training, lr=lr, warmup=warmup, updates=99999)
    settings = replace(spec(), training=recipe)
    assert inverse_sqrt(settings, warmup) == pytest.approx(lr)
    assert inverse_sqrt(settings, warmup // 2) == pytest.approx((lr + 1e-7) / 2)
    assert inverse_sqrt(settings, 4 * warmup) == pytest.approx(lr / 2)


def test_the_length_penalty_is_a_power_of_the_length():
    assert float(length_penalty("power", 0.6)(torch.tensor(7.0))) == pytest.approx(7**0.6)


def test_a_big_encoder_has_a_base_decoder():
    settings = spec(method=PRE)
    model = started(replace(settings, encoder=replace(settings.encoder, d_model=16)))
    cross = model.decoder.layers[0].cross_attention
    assert cross.key_value.weight.shape == (16, 16)
    assert cross.query.weight.shape == (8, 8)
    assert model(sentences(5, 3), sentences(4, 4)).isfinite().all()

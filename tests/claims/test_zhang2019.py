import math
from dataclasses import replace

import pytest
import torch
from models import attend, disturbed, layer_norm, sentences, spec, started
from torch_layers import assert_equal_outputs_and_gradients
from vanishing import means_over_layers, reach

from deepmt.data.batches import Batch
from deepmt.data.vocabulary import EOS
from deepmt.decode.beam import length_penalty
from deepmt.decode.decoder_state import DecoderState
from deepmt.init.glorot import glorot_
from deepmt.model.average_attention import AverageAttention, cumulative_mean
from deepmt.model.embedding import sinusoids
from deepmt.settings.method import Method, make_method
from deepmt.settings.methods.ds_init_options import DsInit
from deepmt.settings.spec import Model
from deepmt.train.learning_rate import noam
from deepmt.train.loss import SmoothedLoss, smoothing_epsilon

POST = Method()
MATT = make_method(decoder_self_attention="saan", decoder_layer="merged")
DS_INIT = make_method(initialisation="ds_init")


def test_vanilla_gradients_vanish_towards_the_first_decoder_layer_as_depth_grows():
    reached = [reach("decoder", depth, depth) for depth in (6, 12, 18)]
    assert reached[0] > 2 * reached[1] > 4 * reached[2]
    assert reached[1] < 0.05


def test_ds_init_keeps_the_gradient_of_the_first_decoder_layer():
    assert reach("decoder", method=DS_INIT) > 0.3


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("sublayer", ["self", "ffn"])
def test_ln_weakens_the_error_signal_and_the_residual_strengthens_it(stack, sublayer):
    means = means_over_layers(stack, sublayer)
    assert means["beta_ln_by_position"] < 1 < means["beta_rc_by_position"]
    assert means["var_r"] > 1


def test_ln_divides_the_error_signal_by_the_deviation_of_what_it_reads():
    means = means_over_layers("decoder", "cross")
    assert means["beta_ln_by_position"] == pytest.approx(means["var_r"] ** -0.5, rel=0.1)


@pytest.mark.parametrize(("decay", "factor"), [(0.25, 0.537285), (0.5, 0.288675)])
def test_ds_init_shrinks_the_bound_of_layer_12_by_this_factor(decay, factor):
    method = make_method(initialisation=DsInit(exponent=decay))
    model = started(spec(12, 12, width=32, method=method))
    for stack in (model.encoder, model.decoder):
        weight = stack.layers[11].feed_forward.f.inner.weight
        bound = factor * math.sqrt(6 / (32 + 128))
        assert 0.99 * bound < weight.abs().max() <= bound


def test_matt_equals_eq_17_with_the_value_map_of_cross_attention():
    model = disturbed(spec(method=MATT))
    cross = model.decoder.layers[0].cross_attention
    state, memory = torch.randn(5, 8).double(), torch.randn(4, 8).double()
    key_map, value_map = cross.key_value.weight[:8], cross.key_value.weight[8:]
    keys = [key_map @ e + cross.key_value.bias[:8] for e in memory]
    values = [value_map @ e + cross.key_value.bias[8:] for e in memory]
    own = [value_map @ s + cross.key_value.bias[8:] for s in state]
    expected = []
    for t, s in enumerate(state):
        context = attend(cross.query.weight @ s + cross.query.bias, keys, values, 2)
        average = sum(own[: t + 1]) / (t + 1)
        expected.append(cross.out.weight @ (context + average) + cross.out.bias)
    mask = torch.ones(1, 1, 1, 4, dtype=torch.bool)
    ours = model.decoder.layers[0].attention(state[None], memory[None], mask)
    torch.testing.assert_close(ours[0], torch.stack(expected), rtol=0, atol=1e-12)


def test_a_matt_layer_is_two_post_norm_sublayers():
    layer = disturbed(spec(method=MATT)).decoder.layers[0]
    x, memory = torch.randn(1, 3, 8).double(), torch.randn(1, 4, 8).double()
    mask = torch.ones(1, 1, 1, 4, dtype=torch.bool)
    merged = layer.attention(x, memory, mask)
    y = torch.stack([layer_norm(r, layer.merged.after) for r in (x + merged)[0]])
    z = y + layer.feed_forward.f(y)
    expected = torch.stack([layer_norm(r, layer.feed_forward.after) for r in z])
    torch.testing.assert_close(layer(x, memory, mask)[0], expected)


def test_the_value_map_of_matt_learns_from_both_of_its_uses():
    cross = disturbed(spec(method=MATT)).decoder.layers[0].cross_attention
    for use in (cross.values, lambda x: cross.entries(x)[:, :, 1].transpose(1, 2)):
        cross.zero_grad()
        use(torch.randn(1, 3, 8).double()).sum().backward()
        assert cross.key_value.weight.grad[8:].abs().min() > 0
        assert cross.key_value.weight.grad[:8].abs().max() == 0


def test_aan_gates_the_state_and_its_average():
    aan = AverageAttention(4).double()
    x = torch.randn(6, 4).double()
    expected = []
    for t in range(6):
        average = sum(x[: t + 1]) / (t + 1)
        gates = aan.gate.weight @ torch.cat([x[t], average]) + aan.gate.bias
        keep, take = (1 / (1 + torch.exp(-g)) for g in (gates[:4], gates[4:]))
        expected.append(keep * x[t] + take * average)
    torch.testing.assert_close(aan(x[None])[0], torch.stack(expected))


def test_the_average_mask_weighs_all_earlier_positions_alike():
    mask = cumulative_mean(torch.eye(5)[None])[0]
    assert torch.allclose(mask, torch.ones(5, 5).tril() / torch.arange(1, 6)[:, None])


@torch.no_grad()
def state_size(model, steps):
    """Count the numbers that the first layer's own branch keeps after these steps."""
    state = DecoderState(model, model.encode(torch.tensor([[3, EOS]])), beam=1, steps=steps)
    for _ in range(steps):
        state.step(torch.tensor([EOS]))
        state.reorder(torch.zeros(1, 1, dtype=torch.long))
    cache = state.caches.layers[0]
    return sum(t.numel() for t in (cache if isinstance(cache, dict) else vars(cache)).values())


@pytest.mark.parametrize("branch", ["softmax", "aan", "saan"])
def test_only_softmax_attention_keeps_a_state_that_grows_with_length(branch):
    model = started(spec(method=make_method(decoder_self_attention=branch, decoder_layer="merged")))
    short, long = (state_size(model, steps) for steps in (5, 50))
    assert (long > short) == (branch == "softmax")


def test_the_input_bias_is_drawn_within_the_root_of_3_over_d():
    model = started(spec(width=64, model=Model(input_bias=True)))
    bound = math.sqrt(3 / 64)
    assert 0.8 * bound < model.target.bias.abs().max() <= bound
    assert model.source.bias is model.target.bias


def test_the_decoder_starts_from_a_zero_vector_and_the_first_sinusoid():
    model = started(spec(model=Model(start="zero", input_bias=True)))
    seen = []
    model.decoder.layers[0].register_forward_pre_hook(lambda _, x: seen.append(x[0]))
    model(sentences(4), sentences(3))
    assert torch.allclose(seen[0][0, 0], sinusoids(1, 8)[0].double())


def test_sinusoids_are_sines_then_cosines_of_falling_rates():
    table = sinusoids(7, 8)
    for p, k in [(0, 0), (3, 1), (6, 3)]:
        angle = p / 10000 ** (k / 3)
        assert table[p, k] == pytest.approx(math.sin(angle), abs=1e-6)
        assert table[p, 4 + k] == pytest.approx(math.cos(angle), abs=1e-6)


def test_smoothed_mass_goes_to_the_other_classes():
    logits, gold, classes = torch.randn(3, 7).double(), torch.tensor([1, 5, 6]), 7
    loss = SmoothedLoss(smoothing_epsilon(0.1, "others", classes), "token")
    expected = 0.0
    for row, g in zip(logits, gold, strict=True):
        log_p = row - torch.log(sum(torch.exp(row)))
        expected -= sum((0.9 if v == g else 0.1 / 6) * log_p[v] for v in range(classes))
    assert loss(torch.nn.Identity(), logits[None], gold[None]) == pytest.approx(float(expected))


def test_the_loss_of_a_batch_is_the_mean_over_sentences_of_their_means():
    logits, target = torch.randn(2, 4, 7).double(), torch.tensor([[3, 4, 5, 2], [6, 2, 0, 0]])
    loss = SmoothedLoss(0.0, "sentence")
    nll = -logits.log_softmax(-1).gather(-1, target[..., None])[..., 0]
    expected = (nll[0].mean() + nll[1, :2].mean()) / 2
    ours = loss(torch.nn.Identity(), logits, target) / loss.weight(Batch(target, target))
    assert ours == pytest.approx(float(expected))


@pytest.mark.parametrize(
    ("width", "warmup", "peak"), [(512, 4000, 0.00070), (1024, 16000, 0.000247)]
)
def test_the_learning_rate_peaks_where_warm_up_ends(width, warmup, peak):
    recipe = replace(spec().training, warmup=warmup, updates=99999)
    recipe = replace(spec(width=width), training=recipe)
    rates = {s: noam(recipe, s) for s in (warmup - 1, warmup, warmup + 1)}
    assert rates[warmup] == max(rates.values()) == pytest.approx(peak, rel=0.01)


def test_the_length_penalty_is_that_of_wu():
    penalty = length_penalty("wu", 0.6)
    assert float(penalty(torch.tensor(7.0))) == pytest.approx((12 / 6) ** 0.6)


def test_post_norm_equals_torch_layers_with_the_same_weights():
    assert_equal_outputs_and_gradients(POST, norm_first=False)


def test_glorot_bounds_are_those_of_the_matrices_as_stored():
    model = started(spec(1, 1, width=512))
    layer, cross = model.encoder.layers[0], model.decoder.layers[0].cross_attention
    bounds = {
        layer.attention.f.query_key_value: 0.054127,
        layer.attention.f.out: 0.076547,
        layer.feed_forward.f.inner: 0.048412,
        layer.feed_forward.f.outer: 0.048412,
        cross.query: 0.076547,
        cross.key_value: 0.076547,
    }
    for linear, bound in bounds.items():
        assert 0.99 * bound < linear.weight.abs().max() < 1.0001 * bound
        assert linear.bias.abs().max() == 0
    glorot_(model, fused_cross=True)
    assert 0.99 * 0.054127 < cross.key_value.weight.abs().max() < 1.0001 * 0.054127

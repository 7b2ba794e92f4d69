from dataclasses import replace

import pytest
import torch
from full_sizes import PAPERS, SCALE, TINY, UNIFIED

from deepmt.data.vocabulary import EOS, PAD
from deepmt.model.build import build
from deepmt.settings.method import make_method
from deepmt.train.layer_measures import gradient_norms
from deepmt.untrained import probes
from deepmt.untrained.one_pass import growth, initialised, signals
from deepmt.untrained.probe_batch import TARGET_TOKENS, ProbeBatch, zipf_batch
from deepmt.untrained.signals import by_position, record_sublayers, summed
from deepmt.untrained.untrained_specs import full_size

ZHANG = PAPERS["zhang2019"]


def small_batch(seed):
    whole = zipf_batch(seed)
    source, target = (side[:4] % 50 for side in (whole.batch.source, whole.batch.target))
    return ProbeBatch(type(whole.batch)(source, target), 50, 50)


def tiny_spec(**changes):
    return replace(full_size(ZHANG, "probe-6l-post", TINY), **changes)


def test_a_zipf_batch_has_about_3000_target_tokens_that_end_in_eos():
    batch = zipf_batch(3).batch
    assert batch.target_tokens == pytest.approx(TARGET_TOKENS, rel=0.05)
    ends = (batch.target != PAD).sum(1, keepdim=True) - 1
    assert (batch.target.gather(1, ends) == EOS).all()
    assert ((batch.target == EOS).sum(1) == 1).all()


@pytest.mark.parametrize("norm", ["post", "pre", "lingvo"])
def test_beta_is_the_product_of_its_parts(norm):
    values = signals(tiny_spec(method=make_method(norm=norm)), small_batch(1), 1)
    of = {(v.stack, v.layer, v.sublayer, v.quantity): v.value for v in values}
    for *place, quantity in of:
        if quantity == "beta":
            parts = of[*place, "beta_ln"] * of[*place, "beta_rc"]
            assert of[*place, quantity] == pytest.approx(parts, rel=1e-4)


def test_without_a_norm_behind_the_sum_ln_changes_nothing():
    values = signals(tiny_spec(method=make_method(norm="pre")), small_batch(1), 1)
    assert {v.value for v in values if v.quantity == "beta_ln"} == {1.0}


def test_ratios_are_those_of_gradients_taken_by_hand():
    spec, probe = tiny_spec(), small_batch(1)
    model = build(spec, 50, 50).eval()
    [seen, *_] = record_sublayers(model)
    loss = model(probe.batch.source, probe.batch.target).square().mean()
    z, r, o = (seen.tensors[name] for name in ("z", "r", "o"))
    of_z, of_r, of_o = torch.autograd.grad(loss, [z, r, o], retain_graph=True)
    loss.backward()
    real = probe.batch.source != PAD
    for norm in (summed, by_position):
        lengths = [norm(g[real]).item() for g in (of_z, of_r, of_o)]
        ratios = seen.ratios(real, norm)
        assert ratios["beta_rc"] == pytest.approx(lengths[0] / lengths[1], rel=1e-5)
        assert ratios["beta_ln"] == pytest.approx(lengths[1] / lengths[2], rel=1e-5)


def test_the_variance_is_over_the_channels_of_real_positions():
    model = build(tiny_spec(), 50, 50).eval()
    [seen, *_] = record_sublayers(model)
    batch = small_batch(1).batch
    model(batch.source, batch.target)
    real, r = batch.source != PAD, seen.tensors["r"]
    variances = [row.var(correction=0).item() for row in r[real].detach()]
    assert seen.variance(real) == pytest.approx(sum(variances) / len(variances), rel=1e-5)


def test_gradient_norms_are_those_of_all_parameters_of_a_layer():
    model = build(tiny_spec(), 50, 50).eval()
    probe = small_batch(1)
    model(probe.batch.source, probe.batch.target).square().mean().backward()
    flat = torch.cat([p.grad.flatten() for p in model.decoder.layers[2].parameters()])
    assert gradient_norms(model)["decoder"][2] == pytest.approx(flat.norm().item(), rel=1e-5)


def test_table_1_has_a_value_beside_each_printed_cell():
    lines = probes.table1(ZHANG, TINY, small_batch, (1, 2))
    printed = lines[lines.published.notna()]
    assert printed.groupby("system").published.count().to_dict() == {
        "post-norm": 20,
        "DS-Init": 20,
        "DS-Init, decay 0.5": 20,
    }
    assert (lines.seeds == 2).all()
    assert lines.spread.notna().all()


def test_figure_1_has_every_layer_of_every_depth():
    lines = probes.figure1(ZHANG, TINY, small_batch, (1,))
    layers = lines.groupby("system").layer.max().to_dict()
    depths = {f"{name} {d}L": d for name in ("post-norm", "DS-Init") for d in (6, 12, 18)}
    assert layers == depths
    assert len(lines) == 2 * 2 * (6 + 12 + 18)


def test_growth_is_that_of_the_outputs_of_layers():
    spec, probe = tiny_spec(method=make_method(norm="pre")), small_batch(1)
    found = {
        (v.stack, v.layer): v.value for v in growth(spec, probe, 1) if v.quantity == "variance"
    }
    model = initialised(spec, probe, 1)
    mask = (probe.batch.source != PAD)[:, None, None]
    outputs = model.encoder.layer_outputs(model.source(probe.batch.source), mask)
    for layer, x in enumerate(outputs[1:], 1):
        expected = x[mask[:, 0, 0]].var(correction=0).item()
        assert found["encoder", layer] == pytest.approx(expected, rel=1e-4)
    assert found["decoder", 6] > found["decoder", 1] > 0


def test_every_method_that_has_a_system_of_its_own_is_measured_at_all_depths(monkeypatch):
    monkeypatch.setattr(probes, "GROWTH_DEPTHS", (6, 12))
    chosen = dict(list(probes.untrained_specs.methods(UNIFIED).items())[:3])
    monkeypatch.setattr(probes.untrained_specs, "methods", lambda paper: chosen)
    lines = probes.growth_by_depth(UNIFIED, TINY, small_batch, (1,))
    assert set(lines.system) == {f"{name} {depth}L" for name in chosen for depth in (6, 12)}
    assert len(lines) == 3 * (2 + 3) * 2 * 2
    assert set(lines[lines.layers == 12].layer) == {1, 6, 12}


@pytest.mark.slow
def test_at_width_512_self_attention_and_feed_forward_are_near_the_print():
    """One seed, six layers, a third of the tokens; cross-attention needs all twelve layers."""
    spec = full_size(ZHANG, "probe-6l-post", SCALE)
    whole = zipf_batch(1).batch
    probe = ProbeBatch(type(whole)(whole.source[:30], whole.target[:30]), 8000, 8000)
    lines = probes.over_seeds({"post-norm": spec}, signals, lambda seed: probe, (1,))
    means = probes.over_layers(lines).merge(probes.published(ZHANG))
    means = means[means.sublayer != "cross"]
    assert ((means.ours - means.published).abs() < 0.1).all()

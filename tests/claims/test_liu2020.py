from dataclasses import replace

import pytest
import torch
from models import VOCABULARY, disturbed, sentences, spec, started
from torch import nn
from vanishing import reach

from deepmt.data.vocabulary import EOS, PAD
from deepmt.init.admin import admin_
from deepmt.init.fold import fold
from deepmt.init.glorot import glorot_
from deepmt.model.build import build
from deepmt.model.sublayer import Sublayer
from deepmt.model.weights import load_weights, weights
from deepmt.settings.method import make_method
from deepmt.settings.spec import Model
from deepmt.train.optimiser import optimiser
from deepmt.untrained.probe_batch import zipf_batch

ADMIN = make_method(residual="omega", initialisation="admin")
FUSED = Model(cross_fan="fused")
PUBLISHED = {
    "encoder": [1, 1.319, 1.455, 1.512, 1.643, 1.696, 1.810, 1.867, 1.971, 2.028],
    "decoder": [1, 1.343, 1.480, 1.610, 1.686, 1.816, 1.917, 1.990, 2.103, 2.199],
}
"""The first omegas that the authors measured on WMT14 En-De, 100-100 layers of width 512."""


def admin_model(**options):
    batch = sentences(5, 5), sentences(4, 4)
    return disturbed(spec(3, 2, method=ADMIN, **options), batch), batch


def omegas(stack):
    return [s.residual.omega for s in stack.modules() if isinstance(s, Sublayer)]


def test_admin_keeps_the_gradient_of_the_first_decoder_layer():
    assert reach("decoder", method=ADMIN) > 0.5


def test_omegas_are_the_accumulated_deviations_of_a_plain_loop():
    model = build(spec(3, 2, method=ADMIN), VOCABULARY, VOCABULARY).double()
    glorot_(model, fused_cross=True)
    source, target = sentences(5, 5), sentences(4, 4)
    profile = admin_(model, source, target)
    expected, accumulator = [], 1.0
    x, mask = model.source(source), (source != 0)[:, None, None, :]
    for layer in model.encoder.layers:
        for sublayer, context in ((layer.attention, [mask]), (layer.feed_forward, [])):
            expected.append(accumulator)
            residual, branch = accumulator * x, sublayer.f(x, *context)
            accumulator = (population(residual) + population(branch)).item() ** 0.5
            x = sublayer.after(residual + branch)
    assert profile["encoder"] == pytest.approx(expected, rel=1e-6)


def test_padding_enters_the_profile_as_in_the_authors_code():
    """There the vector and the position of PAD are 0, and the variance counts them."""
    model = build(spec(2, 2, method=ADMIN), VOCABULARY, VOCABULARY).double()
    glorot_(model, fused_cross=True)
    source, target = sentences(9, 3, 5), sentences(2, 8, 4)
    profile = admin_(model, source, target)
    real = source != PAD
    x, encoder = model.source(source) * real[:, :, None], [1.0]
    for layer in model.encoder.layers:
        x = theirs(layer.attention, x, encoder, real[:, None, None, :])
        x = theirs(layer.feed_forward, x, encoder)
    memory, mask = x, real[:, None, None, :]
    # fairseq moves the end symbol to the front and pads what is left.
    fed = torch.full_like(target, PAD)
    for row, line in zip(fed, target, strict=True):
        words = [EOS, *line[(line != PAD) & (line != EOS)].tolist()]
        row[: len(words)] = torch.tensor(words)
    real = fed != PAD
    x, decoder = model.target(fed) * real[:, :, None], [1.0]
    earlier = torch.ones(len(fed[0]), len(fed[0]), dtype=torch.bool).tril()
    for layer in model.decoder.layers:
        x = theirs(layer.self_attention, x, decoder, earlier & real[:, None, None, :])
        x = theirs(layer.cross, x, decoder, memory, mask)
        x = theirs(layer.feed_forward, x, decoder)
    assert profile["encoder"] == pytest.approx(encoder[:-1], rel=1e-6)
    assert profile["decoder"] == pytest.approx(decoder[:-1], rel=1e-6)


def theirs(sublayer, x, ratios, *context):
    """Apply a sublayer with the last ratio; append the next, as Transformer-Clinic computes it."""
    residual, branch = ratios[-1] * x, sublayer.f(x, *context)
    ratios.append((residual.var(correction=0) + branch.var(correction=0)).item() ** 0.5)
    return sublayer.after(residual + branch)


def population(x):
    values = x.flatten()
    return sum((v - values.mean()) ** 2 for v in values) / len(values)


def profiled(*form):
    """The encoder's omegas by ADMIN, and the variance of each branch."""
    model = build(spec(3, 2, method=ADMIN), VOCABULARY, VOCABULARY)
    glorot_(model, fused_cross=True)
    branches = []
    for module in model.encoder.modules():
        if isinstance(module, Sublayer):
            module.f.register_forward_hook(
                lambda m, i, out: branches.append(float(population(out)))
            )
    return admin_(model, sentences(9, 9), sentences(4, 4), *form)["encoder"], branches


def test_squared_omegas_grow_by_the_variance_of_each_branch():
    omega, branches = profiled()
    for i in range(1, 5):
        assert omega[i + 1] ** 2 == pytest.approx(omega[i] ** 2 + branches[i], rel=1e-3)


def test_the_papers_formula_sums_branch_variances_alone():
    omega, branches = profiled("paper")
    assert omega[0] == 1
    assert omega[1:] == pytest.approx([sum(branches[:i]) ** 0.5 for i in range(1, 6)], rel=1e-4)


def test_the_stacks_are_profiled_apart_and_both_start_at_1():
    model, _ = admin_model()
    profile = admin_(model, sentences(5, 5), sentences(4, 4))
    assert (profile["encoder"][0], profile["decoder"][0]) == (1, 1)
    assert (len(profile["encoder"]), len(profile["decoder"])) == (2 * 3, 3 * 2)


def test_omegas_are_trained_vectors_whose_entries_start_alike():
    model = started(spec(3, 2, method=ADMIN), (sentences(5, 5), sentences(4, 4)))
    for omega in omegas(model.encoder) + omegas(model.decoder):
        assert omega.requires_grad
        assert (omega == omega[0]).all()


def test_a_sublayer_sums_as_the_authors_package_does():
    admin_torch = pytest.importorskip("admin_torch", reason="admin-torch is not installed")
    model, _ = admin_model()
    sublayer, x = model.encoder.layers[1].feed_forward, torch.randn(2, 3, 8).double()
    theirs = admin_torch.as_module(12, as_parameter=True, embed_dim=8).double()
    theirs.omega.data = sublayer.residual.omega.data.clone()
    expected = sublayer.after(theirs(x, sublayer.f(x)))
    torch.testing.assert_close(sublayer(x), expected, rtol=0, atol=1e-12)


def test_profiling_leaves_no_hooks_and_keeps_the_mode():
    model, batch = admin_model()
    hooks = [h for m in model.modules() for h in (m._forward_hooks, m._forward_pre_hooks)]
    admin_(model, *batch)
    assert not model.training
    assert not any(hooks)


@pytest.mark.slow
def test_the_profile_at_width_512_is_that_of_the_authors():
    settings = spec(18, 6, width=512, dropout=0.1, method=ADMIN, model=FUSED)
    heads = {"heads": 8}
    settings = replace(
        settings,
        encoder=replace(settings.encoder, **heads),
        decoder=replace(settings.decoder, **heads),
    )
    probe = zipf_batch(1)
    model = build(settings, probe.source_types, probe.target_types)
    glorot_(model, fused_cross=True)
    profile = admin_(model, probe.batch.source[:40], probe.batch.target[:40])
    for stack, published in PUBLISHED.items():
        assert profile[stack][: len(published)] == pytest.approx(published, rel=0.05)


@pytest.mark.parametrize(
    ("dtype", "error"), [(torch.float32, 1e-5), (torch.float64, 1e-12)], ids=str
)
@pytest.mark.parametrize("wiring", ["stacked", "merged"])
def test_a_folded_model_says_the_same(dtype, error, wiring):
    method = make_method(**ADMIN.names | {"decoder_layer": wiring})
    batch = sentences(5, 3), sentences(4, 4)
    model = disturbed(spec(3, 2, method=method), batch).to(dtype)
    torch.testing.assert_close(fold(model)(*batch), model(*batch), rtol=0, atol=error)


def test_a_folded_untrained_model_is_a_plain_post_norm_model():
    batch = sentences(5, 3), sentences(4, 4)
    model = started(spec(3, 2, method=ADMIN), batch)
    plain = build(spec(3, 2), VOCABULARY, VOCABULARY).double().eval()
    load_weights(plain, weights(fold(model)))
    torch.testing.assert_close(plain(*batch), model(*batch), rtol=0, atol=1e-5)


def test_folding_keeps_the_embedding_the_last_norms_and_the_first_omegas():
    model, _ = admin_model()
    folded = fold(model)
    same = dict(folded.named_parameters())
    for name in (
        "source.table.weight",
        "encoder.layers.2.feed_forward.after.weight",
        "decoder.layers.1.feed_forward.after.bias",
        "encoder.layers.0.attention.residual.omega",
    ):
        assert torch.equal(same[name], dict(model.named_parameters())[name])
    assert [name for name in same if "omega" in name] == [
        "encoder.layers.0.attention.residual.omega",
        "decoder.layers.0.self_attention.residual.omega",
    ]


def test_an_omega_of_0_cannot_be_folded():
    model, _ = admin_model()
    omegas(model.decoder)[2].data[1] = 0
    with pytest.raises(ValueError, match="omega is 0"):
        fold(model)


def test_radam_is_rectified_from_the_sixth_step_on():
    """Before, a step does not depend on the size of v; gradients are 1, 2, 3, ..."""
    module = nn.ParameterDict({"p": nn.Parameter(torch.zeros(1, dtype=torch.float64))})
    stepper = optimiser(module.parameters(), replace(spec().training, optimizer="radam"))
    stepper.param_groups[0]["lr"] = 1.0
    m, v, p = 0.0, 0.0, 0.0
    for t in range(1, 9):
        m, v = 0.9 * m + 0.1 * t, 0.98 * v + 0.02 * t**2
        p -= m / (1 - 0.9**t) * (rectified(t, v) if t >= 6 else 1)
        module["p"].grad = torch.full_like(module["p"], t)
        stepper.step()
        assert module["p"].item() == pytest.approx(p, rel=1e-6)


def rectified(t, v):
    """r_t sqrt(1 - beta2^t) / sqrt(v) with rho_inf = 99."""
    rho = 99 - 2 * t * 0.98**t / (1 - 0.98**t)
    r = ((rho - 4) * (rho - 2) * 99 / ((99 - 4) * (99 - 2) * rho)) ** 0.5
    return r * (1 - 0.98**t) ** 0.5 / (v**0.5 + 1e-8)

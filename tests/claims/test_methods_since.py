"""Methods since the four papers: their equations and constants, restated in float64."""

import math
from statistics import fmean
from typing import Any

import pytest
import torch

from deepmt.init.admin_closed import omega_of
from deepmt.init.deepnorm_init import beta
from deepmt.init.initialise import initialise_
from deepmt.init.matrices import matrices
from deepmt.init.sub_ln_init import gamma
from deepmt.init.tfixup import embedding_factor, factor
from deepmt.model.build import build
from deepmt.model.deepnorm import alpha
from deepmt.model.sublayer import Sublayer
from deepmt.settings.spec import Spec
from deepmt.train.learning_rate import learning_rate
from tiny import STILL, tiny_spec

TOKENS = torch.randint(3, 20, (2, 6))


def spec_of(layers: int = 3, **method: Any) -> Spec:
    """A tiny spec of a method; an option of `norm` is \"norm.<option>\"."""
    sizes = {f"{stack}__layers": layers for stack in ("encoder", "decoder")}
    chosen = {f"method__{choice}": name for choice, name in method.items()}
    return tiny_spec(**sizes, **chosen, **STILL)


def initialised(spec: Spec) -> torch.nn.Module:
    torch.manual_seed(3)
    model = build(spec, 20, 20)
    initialise_(model, spec, lambda: (TOKENS, TOKENS))
    return model.double().eval()


def sublayers(model: torch.nn.Module, stack: str) -> list[Sublayer]:
    return [m for m in getattr(model, stack).modules() if isinstance(m, Sublayer)]


def normed(x: torch.Tensor, epsilon: float = 1e-5) -> torch.Tensor:
    """Layer normalisation with gain 1 and bias 0."""
    centred = x - x.mean(-1, keepdim=True)
    return centred / (centred.square().mean(-1, keepdim=True) + epsilon).sqrt()


def check(method: dict[str, Any], equation, layers: int = 3) -> None:
    """Compare every sublayer's equation; `equation(x, f, layer, stack, count)` restates it."""
    model = initialised(spec_of(layers, **method))
    for stack, in_layer in (("encoder", 2), ("decoder", 3)):
        found = sublayers(model, stack)
        for number, sublayer in enumerate(found, 1):
            x = torch.randn(2, 5, 16, dtype=torch.double)
            context = (torch.ones(2, 1, 1, 5, dtype=torch.bool),) if stack == "encoder" else ()
            if type(sublayer.f).__name__ == "CrossAttention":
                context = (x, torch.ones(2, 1, 1, 5, dtype=torch.bool))
            elif type(sublayer.f).__name__ == "FeedForward":
                context = ()
            layer = (number - 1) // in_layer + 1
            expected = equation(x, lambda y: sublayer.f(y, *context), layer, stack, len(found))  # noqa: B023
            torch.testing.assert_close(sublayer(x, *context), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("constants", ["paper", "code"])
@pytest.mark.parametrize("layers", [3, 5])
def test_deepnorm_is_post_norm_with_a_heavier_residual(layers: int, constants: str) -> None:
    """Wang 2022: LN(alpha x + F(x)), with as many layers in both stacks."""
    alphas = {"encoder": 0.81 * (layers**4 * layers) ** (1 / 16), "decoder": (3 * layers) ** 0.25}
    check(
        {
            "residual": "deepnorm",
            "initialisation": "deepnorm",
            "initialisation.constants": constants,
        },
        lambda x, f, layer, stack, count: normed(alphas[stack] * x + f(x)),
        layers,
    )


@pytest.mark.parametrize(
    ("depths", "encoder", "decoder"),
    [
        ((12, 12), (1.761, 0.400, 0.529), (2.449, 0.289)),
        ((18, 18), (1.999, 0.353, 0.466), (2.711, 0.261)),
        ((60, 12), (2.633, 0.268, 0.354), (2.449, 0.289)),
        ((100, 100), (3.416, 0.206, 0.273), (4.162, 0.170)),
    ],
)
def test_the_constants_of_deepnorm(
    depths: tuple[int, int], encoder: tuple[float, ...], decoder: tuple[float, ...]
) -> None:
    """Alpha and beta of the paper, and the factor of torchscale, whose decoder agrees."""
    assert alpha("encoder", *depths) == pytest.approx(encoder[0], abs=6e-4)
    assert alpha("decoder", *depths) == pytest.approx(decoder[0], abs=6e-4)
    for constants, value in zip(("paper", "code"), encoder[1:], strict=True):
        assert beta("encoder", *depths, constants) == pytest.approx(value, abs=6e-4)
        assert beta("decoder", *depths, constants) == pytest.approx(decoder[1], abs=6e-4)


@pytest.mark.parametrize("constants", ["paper", "code"])
def test_deepnorm_draws_queries_and_keys_as_they_are_and_all_else_smaller(constants: str) -> None:
    spec = tiny_spec(
        **{f"{s}__{k}": v for s in ("encoder", "decoder") for k, v in
           {"layers": 12, "d_model": 64, "feed_forward": 256}.items()},
        method__residual="deepnorm", method__initialisation="deepnorm",
        **{"method.initialisation.constants": constants},
    )  # fmt: skip
    found: dict[tuple[str, str], list[float]] = {}
    for matrix in matrices(initialised(spec)):
        found.setdefault((matrix.stack, matrix.kind), []).append(
            float(matrix.weight.detach().std())
        )
    for (stack, kind), deviations in found.items():
        fan_in, fan_out = {"inner": (64, 256), "outer": (256, 64)}.get(kind, (64, 64))
        paper = math.sqrt(2 / (fan_in + fan_out))
        base = paper if constants == "paper" else 1 / math.sqrt(3 * fan_in)
        factor = 1.0 if kind in ("query", "key") else beta(stack, 12, 12, constants)
        assert fmean(deviations) == pytest.approx(factor * base, rel=0.02)


@pytest.mark.parametrize(
    ("sublayers_of_stack", "value"),
    [(12, 2.017), (18, 2.335), (24, 2.601), (36, 3.041), (54, 3.567), (120, 4.922), (300, 7.193)],
)
def test_the_omega_of_admin_in_closed_form(sublayers_of_stack: int, value: float) -> None:
    assert omega_of(sublayers_of_stack, "log") == pytest.approx(value, abs=6e-4)
    assert omega_of(sublayers_of_stack, "none") == math.sqrt(sublayers_of_stack)
    assert omega_of(sublayers_of_stack, "linear") == 1


def test_admin_in_closed_form_reads_no_data() -> None:
    """LN(omega x + F(x)), the same omega in every sublayer of a stack, and no profile."""

    def refuse() -> None:
        raise AssertionError("the first batch was read")

    spec = spec_of(residual="omega", initialisation="admin_closed")
    model = build(spec, 20, 20)
    profile = initialise_(model, spec, refuse)
    assert profile == {"encoder": [omega_of(6, "log")] * 6, "decoder": [omega_of(9, "log")] * 9}
    check(
        {"residual": "omega", "initialisation": "admin_closed"},
        lambda x, f, layer, stack, count: normed(
            torch.tensor(math.sqrt((count + 1) / math.log(count + 1) - 1)).float().double() * x
            + f(x)
        ),
    )


def test_rezero_begins_as_the_identity_and_only_alphas_learn_first() -> None:
    """Bachlechner 2021: x + alpha F(x), one alpha a layer, no norm anywhere.

    The decoder's alphas come first: until they have moved, it does not read the encoder.
    """
    check({"norm": "none", "residual": "rezero"}, lambda x, f, layer, stack, count: x)
    model = initialised(spec_of(norm="none", residual="rezero"))
    assert not [m for m in model.modules() if isinstance(m, torch.nn.LayerNorm)]
    alphas = {name: p for name, p in model.named_parameters() if name.endswith("alpha")}
    assert len(alphas) == 3 + 3, "shared by the sublayers of a layer"
    model.output(model(TOKENS, TOKENS)).square().sum().backward()
    assert {name for name, p in alphas.items() if p.grad} == {
        name for name in alphas if name.startswith("decoder")
    }
    stacks = [*model.encoder.parameters(), *model.decoder.parameters()]
    assert all(p.grad is None or not p.grad.any() for p in stacks if p.dim())
    for layer in model.encoder.layers:
        layer.attention.residual.alpha.data.fill_(0.5)
    x = torch.randn(2, 5, 16, dtype=torch.double)
    layer = model.encoder.layers[1]
    expected = x + 0.5 * layer.feed_forward.f(x)
    torch.testing.assert_close(layer.feed_forward(x), expected)


def test_layer_norm_scaling_divides_by_the_root_of_the_layers_number() -> None:
    """Sun 2025, as in OLMo-core: x + F(LN(x) / sqrt(l)); the final norm is not scaled."""
    method = {"norm": "scaled_pre"}
    check(method, lambda x, f, layer, stack, count: x + f(normed(x) / math.sqrt(layer)))
    model = initialised(spec_of(**method))
    x = torch.randn(2, 5, 16, dtype=torch.double)
    torch.testing.assert_close(model.encoder.final(x), normed(x))


def test_peri_norm_normalises_input_and_output() -> None:
    """Kim 2025: x + LN(F(LN(x))), with a final norm."""
    method = {"norm": "peri"}
    check(method, lambda x, f, layer, stack, count: x + normed(f(normed(x))))
    assert isinstance(initialised(spec_of(**method)).decoder.final, torch.nn.LayerNorm)


def test_keel_weights_the_residual_by_the_number_of_sublayers() -> None:
    """Chen and Wei 2026: LN(alpha x + F(LN(x))); the first layer is pre-norm."""

    def keel(x, f, layer, stack, count):
        return x + f(normed(x)) if layer == 1 else normed(count * x + f(normed(x)))

    check({"norm": "keel", "residual": "keel"}, keel)


def growth(norm: str, layers: int = 16) -> list[float]:
    """Variance of the residual stream of an untrained encoder by layer, over that of its input."""
    spec = spec_of(layers, norm=norm)
    outputs = initialised(spec).encoder.layer_outputs(
        torch.randn(8, 20, 16, dtype=torch.double), torch.ones(8, 1, 1, 20, dtype=torch.bool)
    )
    return [float(x.detach().var() / outputs[0].detach().var()) for x in outputs]


def test_scaled_norms_keep_the_residual_stream_of_an_untrained_model_smaller() -> None:
    """Pre-norm's variance grows by the same in each layer, this one's at most by that over l.

    Scaled attention also averages more evenly, which makes its updates smaller still.
    """
    plain, scaled = growth("pre"), growth("scaled_pre")
    each = (plain[-1] - 1) / 16
    assert plain[8] == pytest.approx(1 + 8 * each, rel=0.3)
    harmonic = sum(1 / n for n in range(1, 17))
    assert 1 + each * harmonic / 2 < scaled[-1] < 1 + each * harmonic


def test_b2t_adds_the_input_of_a_layer_before_its_last_norm() -> None:
    """Takase 2023: LN(x + F(x) + y) in the last sublayer, post-norm in all others."""
    model = initialised(spec_of(norm="b2t"))
    x, mask = torch.randn(2, 5, 16, dtype=torch.double), torch.ones(2, 1, 1, 5, dtype=torch.bool)
    layer = model.encoder.layers[1]
    attended = normed(x + layer.attention.f(x, mask))
    expected = normed(attended + layer.feed_forward.f(attended) + x)
    torch.testing.assert_close(layer(x, mask), expected, rtol=0, atol=1e-12)
    layer, memory = model.decoder.layers[2], torch.randn(2, 5, 16, dtype=torch.double)
    own = normed(x + layer.self_attention.f(x))
    crossed = normed(own + layer.cross.f(own, memory, mask))
    expected = normed(crossed + layer.feed_forward.f(crossed) + x)
    torch.testing.assert_close(layer(x, memory, mask), expected, rtol=0, atol=1e-12)
    assert isinstance(model.encoder.final, torch.nn.Identity)


def test_the_code_of_b2t_divides_weights_of_layers_by_the_root_of_depth() -> None:
    plain, scaled = (
        initialised(spec_of(5, initialisation=name)) for name in ("glorot", "root_depth")
    )
    for (name, before), after in zip(plain.named_parameters(), scaled.parameters(), strict=True):
        in_layer = ".layers." in name and before.dim() == 2
        expected = before / math.sqrt(5) if in_layer else before
        torch.testing.assert_close(after, expected, rtol=1e-6, atol=0)


def first_over_last(**method: str) -> float:
    """Gradient norm of the first decoder layer over the last one's, at 18+18 layers."""
    model = initialised(spec_of(18, **method))
    model.output(model(TOKENS, TOKENS)).log_softmax(-1)[..., 3].sum().backward()
    first, last = (
        torch.stack([p.grad.norm() for p in model.decoder.layers[i].parameters()]).norm()
        for i in (0, -1)
    )
    return float(first / last)


def test_b2t_carries_the_gradient_to_the_first_layer_of_a_decoder() -> None:
    assert first_over_last() < 0.01
    assert first_over_last(norm="b2t") > 0.1


@pytest.mark.parametrize(
    ("depths", "encoder", "decoder"), [((12, 12), 0.360, 0.310), ((60, 12), 0.241, 0.310)]
)
def test_the_factors_of_t_fixup(depths: tuple[int, int], encoder: float, decoder: float) -> None:
    """Huang 2020: .67 N^(-1/4) and (9M)^(-1/4)."""
    assert factor("encoder", depths[0]) == pytest.approx(encoder, abs=6e-4)
    assert factor("decoder", depths[1]) == pytest.approx(decoder, abs=6e-4)
    assert embedding_factor(depths[0]) == (9 * depths[0]) ** -0.25


@pytest.mark.parametrize("tie", ["none", "target", "all"])
def test_t_fixup_has_no_norm_and_small_weights(tie: str) -> None:
    sizes = {f"{s}__{k}": v for s in ("encoder", "decoder") for k, v in
             {"d_model": 64, "feed_forward": 256}.items()}  # fmt: skip
    spec = tiny_spec(
        encoder__layers=12, decoder__layers=6, method__norm="none",
        method__initialisation="tfixup", model__tie=tie, data__shared_vocabulary=True, **sizes,
    )  # fmt: skip
    model = initialised(spec)
    assert not [m for m in model.modules() if isinstance(m, torch.nn.LayerNorm)]
    found: dict[tuple[str, str], list[float]] = {}
    for matrix in matrices(model):
        found.setdefault((matrix.stack, matrix.kind), []).append(
            float(matrix.weight.detach().std())
        )
    gains = {"encoder": 0.67 * 12**-0.25, "decoder": (9 * 6) ** -0.25}
    for (stack, kind), deviations in found.items():
        fans = {"inner": 320, "outer": 320}.get(kind, 128)
        gain = math.sqrt(1 / 2) if kind in ("query", "key") else gains[stack]
        assert fmean(deviations) == pytest.approx(gain * math.sqrt(2 / fans), rel=0.03)
    source, target = (
        float(side.table.weight.detach().std()) for side in (model.source, model.target)
    )
    assert source == pytest.approx((9 * 12) ** -0.25 / 8, rel=0.06)
    assert target == pytest.approx((9 * (12 if tie == "all" else 6)) ** -0.25 / 8, rel=0.06)


def test_the_learning_rate_of_t_fixup_falls_from_the_start() -> None:
    spec = tiny_spec(training__schedule="no_warmup", training__lr=5e-4, training__warmup=20)
    assert learning_rate(spec, 1) == pytest.approx(5e-4 * math.sqrt(20 / 21))
    assert learning_rate(spec, 60) == pytest.approx(5e-4 / 2)


@pytest.mark.parametrize("random", [False, True])
def test_attention_residuals_mix_what_layers_added(random: bool) -> None:
    """Kimi team 2026: softmax(w . RMSNorm(v)) over embedding and contributions, at first a mean."""
    model = initialised(spec_of(norm="pre", layer_aggregation="attention_residuals"))
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    x = torch.randn(2, 5, 16, dtype=torch.double)
    queries = model.encoder.aggregation.weight
    assert queries.shape == (3, 16)
    assert not queries.any()
    if random:
        torch.nn.init.normal_(queries)
    sources, inputs = [x], [x]
    for layer, query in zip(model.encoder.layers, queries, strict=True):
        sources.append(layer(inputs[-1], mask) - inputs[-1])
        every = torch.stack(sources)
        keys = every / (every.square().mean(-1, keepdim=True) + 1e-5).sqrt()
        shares = (keys * query).sum(-1).exp()
        mixed = (shares[..., None] * every).sum(0) / shares.sum(0)[..., None]
        inputs.append(mixed if random else every.mean(0))
    for found, expected in zip(model.encoder.layer_outputs(x, mask), inputs, strict=True):
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


def test_sub_ln_normalises_before_the_last_matrix_but_of_cross_attention() -> None:
    """Wang 2022: x + W LN(g(LN(x))) with F = W g, and a final norm."""
    model = initialised(spec_of(norm="sub_ln", initialisation="sub_ln"))
    x, mask = torch.randn(2, 5, 16, dtype=torch.double), torch.ones(2, 1, 1, 5, dtype=torch.bool)
    encoder, decoder = model.encoder.layers[1], model.decoder.layers[2]

    def affine(x, linear):
        return x @ linear.weight.T + linear.bias

    def attended(f, queries, keys, values, allowed):
        split = [y.unflatten(-1, (f.heads, -1)).transpose(1, 2) for y in (queries, keys, values)]
        scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
        joined = scores.masked_fill(~allowed, -math.inf).softmax(-1) @ split[2]
        return joined.transpose(1, 2).flatten(2)

    for sublayer, context in ((encoder.attention, (mask,)), (decoder.self_attention, ())):
        f = sublayer.f
        allowed = mask if context else torch.ones(5, 5, dtype=torch.bool).tril()
        inner = attended(f, *affine(normed(x), f.query_key_value).chunk(3, -1), allowed)
        expected = x + affine(normed(inner), f.out)
        torch.testing.assert_close(sublayer(x, *context), expected, rtol=0, atol=1e-12)
    for sublayer in (encoder.feed_forward, decoder.feed_forward):
        inner = affine(normed(x), sublayer.f.inner).relu()
        expected = x + affine(normed(inner), sublayer.f.outer)
        torch.testing.assert_close(sublayer(x), expected, rtol=0, atol=1e-12)
    f, memory = decoder.cross.f, torch.randn(2, 5, 16, dtype=torch.double)
    inner = attended(f, affine(normed(x), f.query), *affine(memory, f.key_value).chunk(2, -1), mask)
    expected = x + affine(inner, f.out)
    torch.testing.assert_close(decoder.cross(x, memory, mask), expected, rtol=0, atol=1e-12)
    torch.testing.assert_close(model.decoder.final(x), normed(x))


@pytest.mark.parametrize(
    ("depths", "encoder", "decoder"), [((12, 12), 1.948, 1.893), ((100, 100), 3.174, 2.388)]
)
def test_the_factors_of_sub_ln(depths: tuple[int, int], encoder: float, decoder: float) -> None:
    assert gamma("encoder", *depths) == pytest.approx(encoder, abs=6e-4)
    assert gamma("decoder", *depths) == pytest.approx(decoder, abs=6e-4)


def test_sub_ln_draws_larger_weights_but_for_queries_keys_and_cross_attention() -> None:
    plain, scaled = (
        initialised(spec_of(5, norm="sub_ln", initialisation=name)) for name in ("glorot", "sub_ln")
    )
    factors = {
        "encoder": math.sqrt(math.log(15) * math.log(10) / 3),
        "decoder": math.sqrt(math.log(15)),
    }
    for (name, before), after in zip(plain.named_parameters(), scaled.parameters(), strict=True):
        factor = torch.ones(len(before), 1, dtype=before.dtype)
        if ".layers." in name and before.dim() == 2 and ".cross." not in name:
            unscaled = 2 * 16 if "query_key_value" in name else 0
            factor[unscaled:] = factors[name.split(".")[0]]
        expected = before * factor if before.dim() == 2 else before
        torch.testing.assert_close(after, expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize("random", [False, True])
def test_denseformer_averages_the_outputs_of_layers(random: bool) -> None:
    """Pagliardini 2024: after each layer, the last too, sum_k W_ik y_k; at first y_i alone."""
    model = initialised(spec_of(norm="pre", layer_aggregation="denseformer"))
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    x = torch.randn(2, 5, 16, dtype=torch.double)
    weights = model.encoder.aggregation.weight
    if random:
        torch.nn.init.normal_(weights)
    outputs, inputs = [x], [x]
    for number, layer in enumerate(model.encoder.layers, 1):
        outputs.append(layer(inputs[-1], mask))
        mixed = torch.stack([weights[number, k] * outputs[k] for k in range(number + 1)]).sum(0)
        inputs.append(mixed if random else outputs[-1])
    found = model.encoder.layer_outputs(x, mask)
    for ours, expected in zip(found, inputs, strict=True):
        torch.testing.assert_close(ours, expected, rtol=0, atol=1e-12)
    found[-1].square().sum().backward()
    learns = torch.ones(4, 4, dtype=torch.bool).tril()
    learns[0] = False  # the embedding itself has no weight
    assert torch.equal(weights.grad != 0, learns)


def test_hyper_connections_read_and_write_four_copies() -> None:
    """Zhu 2024: h_j' = h_j + b_j F(LN(sum_i a_i h_i)), weights c + s tanh(w . RMSNorm(h))."""
    model = initialised(spec_of(norm="hyper_connections", residual="hyper_connections"))
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    x = torch.randn(2, 5, 16, dtype=torch.double)
    copies = [x] * 4
    for number, sublayer in enumerate(sublayers(model, "encoder")):
        gates = (sublayer.before[0], sublayer.residual)
        assert gates[0].constant.tolist() == [float(j == number % 4) for j in range(4)]
        assert gates[1].constant.tolist() == [1.0] * 4
        for one in gates:
            assert one.scale.item() == pytest.approx(0.01)
            assert not one.weight.any()
            for parameter in one.parameters():
                torch.nn.init.normal_(parameter)
        reads, writes = (
            [
                one.constant[j]
                + one.scale
                * (h * one.weight / (h.square().mean(-1, True) + 1e-5).sqrt()).sum(-1, True).tanh()
                for j, h in enumerate(copies)
            ]
            for one in gates
        )
        mixed = normed(sum(a * h for a, h in zip(reads, copies, strict=True)))
        update = sublayer.f(mixed, mask) if number % 2 == 0 else sublayer.f(mixed)
        copies = [h + b * update for b, h in zip(writes, copies, strict=True)]
    found = model.encoder.layer_outputs(x, mask)[-1]
    torch.testing.assert_close(found, sum(copies), rtol=0, atol=1e-10)


def test_untrained_hyper_connections_are_pre_norm() -> None:
    plain = initialised(spec_of(norm="pre"))
    wide = initialised(spec_of(norm="hyper_connections", residual="hyper_connections"))
    expected, found = (model(TOKENS, TOKENS) for model in (plain, wide))
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-3)

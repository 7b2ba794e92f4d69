"""Every fast form has the values and the gradients of the equation that it computes."""

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.kernels import compiled, fast_linear
from deepmt.kernels.blockwise_topk import largest
from deepmt.kernels.cross_entropy import FewPassCrossEntropy
from deepmt.kernels.fast_form import plain_forms
from deepmt.kernels.fast_linear import rounded_up
from deepmt.kernels.layer_sums import weighted_sums
from deepmt.kernels.limits import MAX_LOGITS
from deepmt.model.attention import attend
from deepmt.model.dlcl import WeightedSums
from deepmt.model.dropout import dropout
from deepmt.model.linear import linear, rectified_linear
from deepmt.settings.method import Method
from deepmt.train.history import hardware
from deepmt.train.loss import SmoothedLoss, smoothed_cross_entropy
from tiny import every_method, random_model


def results(compute: Callable[[], Tensor], inputs: Sequence[Tensor]) -> list[Tensor]:
    """Return a value, and the gradients of its weighted sum with respect to `inputs`."""
    value = compute()
    weights = torch.linspace(-1, 1, value.numel(), dtype=value.dtype).view_as(value)
    return [value, *torch.autograd.grad((value * weights).sum(), inputs)]


def assert_both_forms_agree(
    compute: Callable[[], Tensor], inputs: Sequence[Tensor], tolerance: float = 1e-12
) -> None:
    fast = results(compute, inputs)
    with plain_forms():
        plain = results(compute, inputs)
    for one, other in zip(fast, plain, strict=True):
        assert one.dtype == other.dtype
        torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)


def random(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(shape, dtype=dtype, requires_grad=True)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(1)


@every_method
def test_models_of_both_forms_agree(method: Method) -> None:
    model = random_model(method)
    source, target = torch.randint(3, 20, (2, 4, 30))
    source[1, 20:] = target[2, 7:] = 0
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    loss = SmoothedLoss(0.1, "sentence")
    assert_both_forms_agree(
        lambda: loss(model.output, model(source, target), target), trained, 1e-9
    )


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("keys", [1, 7, 15, 16, 17, 33])
def test_attention(keys: int, causal: bool) -> None:
    parts = [random(2, keys, 3, 4, 8)] * 2
    mask = None if causal else (torch.arange(keys) < torch.tensor([[keys], [1]]))[:, None, None]
    assert_both_forms_agree(lambda: attend(*parts, mask, 0.0), parts[:1])


@pytest.mark.parametrize("layers", [1, 2, 5])
def test_sums_of_layers(layers: int) -> None:
    weight, values = random(layers, layers), [random(2, 3, 8) for _ in range(layers)]

    def stack() -> Tensor:
        sums, rows = WeightedSums(weight), []
        for value in values:
            sums.append(value if not rows else value + rows[-1])
            rows.append(sums.last())
        return torch.stack(rows)

    assert_both_forms_agree(stack, [weight, *values])


def test_autocast_does_not_round_a_sum_of_layers() -> None:
    layers, weights = torch.randn(3, 50), torch.tensor([0.2, 0.3, 0.5])
    with torch.autocast("cpu", torch.bfloat16):
        inside = weighted_sums(weights, layers)
    assert torch.equal(inside, weighted_sums(weights, layers))


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_cross_entropy(share: float) -> None:
    logits, gold = random(5, 9), torch.randint(9, (5,))
    assert_both_forms_agree(lambda: smoothed_cross_entropy(logits, gold, share)[0], [logits])
    losses, nll = smoothed_cross_entropy(logits, gold, share)
    assert not nll.requires_grad
    assert torch.allclose(nll, functional.cross_entropy(logits, gold, reduction="none"))
    theirs = functional.cross_entropy(logits, gold, label_smoothing=share, reduction="none")
    assert torch.allclose(losses, theirs)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_the_few_passes_of_a_gpu(dtype: torch.dtype) -> None:
    logits = (3 * torch.randn(5, 9)).to(dtype).requires_grad_()
    gold, weights = torch.randint(9, (5,)), torch.rand(5).double()
    exact = logits.detach().double().requires_grad_()
    expected = functional.cross_entropy(exact, gold, label_smoothing=0.1, reduction="none")
    losses, nll = FewPassCrossEntropy.apply(logits, gold, 0.1)
    assert losses.dtype == torch.promote_types(dtype, torch.float32)
    torch.testing.assert_close(losses.double(), expected, rtol=1e-5, atol=1e-5)
    plain = functional.cross_entropy(exact, gold, reduction="none")
    torch.testing.assert_close(nll.double(), plain, rtol=1e-5, atol=1e-5)
    (losses * weights).sum().backward()
    (expected * weights).sum().backward()
    rounding = 2**-7 if dtype == torch.bfloat16 else 1e-12
    torch.testing.assert_close(logits.grad.double(), exact.grad, rtol=rounding, atol=rounding / 10)


@pytest.mark.parametrize("average", ["token", "sentence"])
def test_the_loss_in_pieces(average: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MAX_LOGITS, "cpu", 13 * 5)
    output, states = nn.Linear(6, 13).double(), random(4, 7, 6)
    target = torch.randint(1, 13, (4, 7))
    target[1, 3:] = target[3, 5:] = 0
    loss = SmoothedLoss(0.1, average, 13)
    parts = [states, *output.parameters()]
    whole = loss(output, states, target) / 9
    gradients = torch.autograd.grad(whole, parts)
    value, nll = loss.backward(output, states, target, 9)
    assert float(value) == pytest.approx(whole.item())
    expected = functional.cross_entropy(
        output(states)[target != 0], target[target != 0], reduction="sum"
    )
    assert float(nll) == pytest.approx(expected.item())
    for part, gradient in zip(parts, gradients, strict=True):
        assert torch.allclose(part.grad, gradient)


@pytest.fixture
def on_amd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "mkl_leaves_avx512", lambda: True)
    monkeypatch.setattr(fast_linear, "MIN_MULTIPLICATIONS", 0)


@pytest.mark.parametrize("trains", [True, False])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 18, 33])
@pytest.mark.parametrize("outputs", [16, 40])
@pytest.mark.parametrize("form", [linear, rectified_linear])
def test_a_layer_by_onednn(
    on_amd: None, form: Callable[..., Tensor], outputs: int, rows: int, bias: bool, trains: bool
) -> None:
    shapes = [(rows, 3, 24), (outputs, 24), (outputs,)][: 3 if bias else 2]
    parts = [random(*shape, dtype=torch.float32) for shape in shapes]
    exact = [part.detach().double().requires_grad_() for part in parts]
    assert fast_linear.onednn_is_faster(*parts[:2])

    def compute(parts: list[Tensor]) -> list[Tensor]:
        with torch.set_grad_enabled(trains):
            y = form(*parts, *[None][: 3 - len(parts)])
        return [y, *torch.autograd.grad(y.sin().sum(), parts)] if trains else [y]

    for one, other in zip(compute(parts), compute(exact), strict=True):
        torch.testing.assert_close(one.double(), other, rtol=1e-5, atol=1e-4)


def test_a_weight_that_is_not_trained_gets_no_gradient(on_amd: None) -> None:
    x, weight, bias = torch.randn(6, 8), torch.randn(4, 8), random(4, dtype=torch.float32)
    linear(x, weight, bias).sum().backward()
    assert weight.grad is None
    assert bias.grad is not None


@pytest.mark.parametrize("trains", [True, False])
@pytest.mark.parametrize(
    ("vendor", "flags", "library"),
    [
        ("AuthenticAMD", "avx2 avx512f", "oneDNN"),
        ("AuthenticAMD", "avx2", "MKL"),
        ("GenuineIntel", "avx2 avx512f", "MKL"),
    ],
)
def test_onednn_multiplies_where_mkl_does_not_use_avx512(
    vendor: str, flags: str, library: str, trains: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "read", lambda path: f"vendor_id : {vendor}\nflags : {flags}\n")
    monkeypatch.setattr(compiled, "mkl_leaves_avx512", compiled.mkl_leaves_avx512.__wrapped__)
    monkeypatch.setattr(fast_linear, "MIN_MULTIPLICATIONS", 0)
    asked, product = [], fast_linear.onednn_product
    monkeypatch.setattr(fast_linear, "onednn_product", lambda *ab: asked.append(1) or product(*ab))
    with torch.set_grad_enabled(trains):
        linear(torch.randn(2, 8), torch.randn(4, 8), None)
    assert bool(asked) == (library == "oneDNN")
    monkeypatch.setattr(compiled, "hindrance", lambda: "")
    assert hardware(torch.device("cpu"))["products"] == library


def test_without_a_compiler_onednn_takes_no_part_in_training(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled, "library", lambda number: None)
    monkeypatch.setattr(compiled, "mkl_leaves_avx512", lambda: True)
    monkeypatch.setattr(fast_linear, "MIN_MULTIPLICATIONS", 0)
    x, weight = random(2, 8, dtype=torch.float32), random(4, 8, dtype=torch.float32)
    assert_both_forms_agree(lambda: linear(x, weight, None), [x, weight], 1e-6)


@torch.no_grad()
def test_small_products_are_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "mkl_leaves_avx512", lambda: True)
    assert fast_linear.onednn_is_faster(torch.randn(1024, 128), torch.randn(128, 128))
    assert not fast_linear.onednn_is_faster(torch.randn(1023, 128), torch.randn(128, 128))


def test_batches_of_any_length_have_few_shapes() -> None:
    sizes = {rows: rounded_up(rows) for rows in range(1, 4096)}
    assert all(rows <= size <= rows * 9 / 8 for rows, size in sizes.items())
    assert len({size for rows, size in sizes.items() if rows >= 256}) == 8 * 4 + 1


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
@torch.no_grad()
def test_other_precisions_are_left_to_torch(on_amd: None, dtype: torch.dtype) -> None:
    x, weight = torch.randn(2, 8, dtype=dtype), torch.randn(4, 8, dtype=dtype)
    assert torch.equal(linear(x, weight, None), functional.linear(x, weight))


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_dropout_drops_the_share_it_says_and_keeps_the_mean(rate: float) -> None:
    x = random(1000, 999)
    y = dropout(x, rate, training=True)
    kept = y != 0
    assert kept.double().mean().item() == pytest.approx(1 - rate, abs=2e-3)
    torch.testing.assert_close(y, x * kept / (1 - rate), rtol=1e-4, atol=0)
    assert dropout(torch.ones(1000, 999), rate, training=True).mean() == pytest.approx(1, abs=5e-3)
    [gradient] = torch.autograd.grad(y.sum(), [x])
    torch.testing.assert_close(gradient * x, y)


@pytest.mark.parametrize("shape", [(4, 50), (4, 128), (3, 1000), (2, 4096), (5, 1151)])
@pytest.mark.parametrize("count", [1, 8, 60])
def test_the_largest_values_are_those_of_a_sort(shape: tuple[int, int], count: int) -> None:
    values = torch.randn(shape)
    expected = values.sort(dim=1, descending=True)
    found, columns = largest(values, count)
    count = min(count, shape[1])
    assert torch.equal(found, expected.values[:, :count])
    assert torch.equal(columns, expected.indices[:, :count])

import pytest
import torch
from torch.nn import functional

from deepmt.model import linear as module
from deepmt.model.linear import Linear, linear, of_few_shapes, product


@pytest.fixture
def on_amd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "mkl_is_slow", lambda: True)
    monkeypatch.setattr(module, "WORTH_IT", 0)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("inputs", "outputs"), [(24, 40), (40, 24), (16, 16)])
@pytest.mark.parametrize("length", [1, 6, 7])
def test_onednn_gives_torchs_product_and_gradients(
    on_amd: None, length: int, inputs: int, outputs: int, bias: bool
) -> None:
    torch.manual_seed(1)
    layer = Linear(inputs, outputs, bias=bias)
    x = torch.randn(3, length, inputs, requires_grad=True)
    parts = [x, *layer.parameters()]
    weights = torch.randn(3, length, outputs)
    ours = torch.autograd.grad((layer(x) * weights).sum(), parts)
    theirs = functional.linear(x, layer.weight, layer.bias)
    assert torch.allclose(layer(x), theirs, atol=1e-5)
    for own, other in zip(ours, torch.autograd.grad((theirs * weights).sum(), parts), strict=True):
        assert own.shape == other.shape
        assert torch.allclose(own, other, atol=1e-5)


def test_onednn_is_asked_where_mkl_is_slow(on_amd: None, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(module, "product", lambda *parts: asked.append(1) or product(*parts))
    linear(torch.randn(2, 8), torch.randn(4, 8), None)
    assert asked


def test_small_products_are_left_to_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "mkl_is_slow", lambda: True)
    assert module.onednn_pays(torch.randn(256, 64), torch.randn(64, 64))
    assert not module.onednn_pays(torch.randn(255, 64), torch.randn(64, 64))


def test_batches_of_any_length_have_few_shapes() -> None:
    sizes = {rows: len(of_few_shapes(torch.ones(rows, 1))) for rows in range(1, 4096)}
    assert all(rows <= size <= rows * 9 / 8 for rows, size in sizes.items())
    assert len({size for rows, size in sizes.items() if rows >= 256}) == 8 * 4 + 1


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        (torch.randn(2, 8, dtype=torch.float64), "a check in float64 stays in float64"),
        (torch.randn(2, 8, dtype=torch.bfloat16), "torch itself takes oneDNN for bfloat16"),
    ],
)
def test_other_precisions_are_left_to_torch(on_amd: None, x: torch.Tensor, reason: str) -> None:
    weight = torch.randn(4, 8).to(x.dtype)
    assert torch.equal(linear(x, weight, None), functional.linear(x, weight)), reason


def test_weights_that_are_not_trained_get_no_gradient(on_amd: None) -> None:
    layer = Linear(8, 4)
    layer.weight.requires_grad_(False)
    layer(torch.randn(2, 8)).sum().backward()
    assert layer.weight.grad is None
    assert layer.bias.grad is not None

"""Compiled operations have the values and gradients of the equations in float64."""

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import torch
from thread_counts import with_threads
from torch import Tensor

from deepmt.kernels import compiled
from deepmt.kernels.fast_form import plain_forms
from deepmt.model.attention import attend, attend_to_entries
from deepmt.model.dropout import dropout
from deepmt.train.loss import smoothed_cross_entropy

pytestmark = pytest.mark.skipif(compiled.library("float") is None, reason="no g++ to compile with")
SOURCE = compiled.SOURCE.read_text()
SIZES = [1, 2, 15, 16, 17, 34, 100, 1000]
TYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
TOLERANCE = {torch.float32: 2**-14, torch.bfloat16: 2**-7}
"""Twice the spacing of bfloat16; in float32, what is left of it in sums that cancel."""


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(1)


def drawn(*shape: int, dtype: torch.dtype, scale: float = 1.0) -> Tensor:
    return (torch.randn(shape) * scale).to(dtype).requires_grad_()


def gradients(value: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    weights = torch.linspace(-1, 1, value.numel(), dtype=torch.float64).view_as(value)
    return [value, *torch.autograd.grad(value, inputs, weights.to(value))]


def assert_close(found: list[Tensor], expected: list[Tensor], dtype: torch.dtype) -> None:
    for one, other in zip(found, expected, strict=True):
        largest, tolerance = other.abs().max().item() or 1.0, TOLERANCE[dtype]
        torch.testing.assert_close(
            one.double() / largest, other / largest, rtol=tolerance, atol=tolerance
        )


def assert_exact(compute: Callable[..., Tensor], inputs: list[Tensor], dtype: torch.dtype) -> None:
    """Values and gradients are those of the plain form in float64."""
    exact = [part.detach().double().requires_grad_() for part in inputs]
    found = gradients(compute(*inputs), inputs)
    with plain_forms():
        expected = gradients(compute(*exact), exact)
    assert_close(found, expected, dtype)


@TYPES
@pytest.mark.parametrize("types", [size for size in SIZES if size > 1])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_cross_entropy(types: int, epsilon: float, dtype: torch.dtype) -> None:
    logits, gold = drawn(9, types, dtype=dtype, scale=5), torch.randint(types, (9,))
    assert_exact(lambda logits: smoothed_cross_entropy(logits, gold, epsilon)[0], [logits], dtype)
    both = smoothed_cross_entropy(logits, gold, epsilon)
    with plain_forms():
        expected = smoothed_cross_entropy(logits.double(), gold, epsilon)
    for found, value in zip(both, expected, strict=True):
        torch.testing.assert_close(found.double(), value, rtol=1e-5, atol=1e-5)


@TYPES
@pytest.mark.parametrize("keys", SIZES[:-1])
@pytest.mark.parametrize("queries", [1, 4, 5])
@pytest.mark.parametrize("own_masks", [True, False])
@torch.no_grad()
def test_attention_of_a_search(
    keys: int, queries: int, own_masks: bool, dtype: torch.dtype
) -> None:
    query = torch.randn(3, queries, 3, 2, 20).to(dtype)[:, :, 0]
    entries = torch.randn(3, keys + 3, 2, 2, 20).to(dtype)
    entries[:, keys:] = math.nan  # free room
    mask = torch.rand(3, 1, queries if own_masks else 1, keys) < 0.5
    mask[..., keys // 2] = True
    with plain_forms():
        expected = attend_to_entries(query.double(), entries.double(), mask)
    assert_close([attend_to_entries(query, entries, mask)], [expected], dtype)
    with torch.enable_grad():
        assert_close([attend_to_entries(query, entries, mask)], [expected], dtype)
    with pytest.raises(RuntimeError, match="the mask has"):
        attend_to_entries(query, entries[:, : keys - 1], mask)


@TYPES
@pytest.mark.parametrize("keys", SIZES[:-1])
@pytest.mark.parametrize("mask", ["causal", "padding", "each query"])
def test_attention(keys: int, mask: str, dtype: torch.dtype) -> None:
    parts = drawn(3, keys, 3, 2, 8, dtype=dtype)
    allowed = {
        "causal": None,
        "padding": (torch.arange(keys) < torch.tensor([[keys], [1], [keys // 2 + 1]]))[
            :, None, None
        ],
        "each query": torch.rand(3, 1, keys, keys) < torch.eye(keys) + 0.5,
    }[mask]
    assert_exact(lambda parts: attend(parts, parts, allowed, 0.0), [parts], dtype)


@TYPES
@pytest.mark.parametrize("width", [16, 20])
@pytest.mark.parametrize(("queries", "keys"), [(1, 9), (18, 7), (5, 33), (65, 70)])
def test_cross_attention_to_parts_of_one_projection(
    queries: int, keys: int, width: int, dtype: torch.dtype
) -> None:
    query = drawn(3, queries, 1, 2, width, dtype=dtype)
    entries = drawn(3, keys, 3, 2, width, dtype=dtype)
    allowed = (torch.arange(keys) < torch.tensor([[keys], [1], [keys // 2 + 1]]))[:, None, None]

    assert_exact(lambda *given: attend(*given, allowed, 0.0), [query, entries], dtype)


@TYPES
@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
def test_dropout_keeps_the_mean_and_uses_one_mask_in_both_passes(
    rate: float, dtype: torch.dtype
) -> None:
    x = drawn(1001, 999, dtype=dtype)
    y = dropout(x, rate, training=True)
    kept = y != 0
    assert kept.double().mean().item() == pytest.approx(1 - rate, abs=2e-3)
    torch.testing.assert_close(y, (x * kept / (1 - rate)).to(dtype), rtol=2**-7, atol=0)
    [gradient] = torch.autograd.grad(y, [x], torch.ones_like(y))
    assert torch.equal(gradient != 0, kept | (x == 0) & (gradient != 0))


@TYPES
def test_dropout_draws_every_value_and_every_call_by_itself(dtype: torch.dtype) -> None:
    ones = torch.ones(400_000, dtype=dtype)
    first, second = ((dropout(ones, 0.5, training=True) > 0).float() for _ in range(2))
    assert (first * second).mean().item() == pytest.approx(0.25, abs=5e-3)
    for lag in (1, 2, 8, 15, 16, 17, 31, 32, 33):
        both = (first[lag:] * first[:-lag]).mean().item()
        assert both == pytest.approx(0.25, abs=5e-3)


@TYPES
def test_the_number_of_threads_changes_nothing(dtype: torch.dtype) -> None:
    def compute() -> list[Tensor]:
        torch.manual_seed(3)
        x = drawn(600, 96, dtype=dtype)
        y = dropout(x, 0.1, training=True)
        losses, _ = smoothed_cross_entropy(y, torch.randint(96, (600,)), 0.1)
        return [losses, *torch.autograd.grad(losses.sum(), [x])]

    found = with_threads(compute)
    assert all(
        torch.equal(a, b) for other in found[1:] for a, b in zip(found[0], other, strict=True)
    )


@TYPES
@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_what_is_not_finite_stays_so(wrong: float, dtype: torch.dtype) -> None:
    logits = drawn(3, 40, dtype=dtype).detach()
    logits[1, 20] = wrong
    loss, _ = smoothed_cross_entropy(logits.requires_grad_(), torch.tensor([1, 2, 3]), 0.1)
    assert loss.isfinite().tolist() == [True, False, True]


Call = tuple[str, list[Tensor | float | None]]


def calls(number: torch.dtype) -> list[Call]:
    """One call of every operation, and numbers in place of what is none."""
    flat, other = torch.zeros(2, 24, 5, dtype=number)
    gold, sums = torch.zeros(24, dtype=torch.long), [torch.zeros(24) for _ in range(3)]
    queries, slopes = torch.zeros(2, 2, 4, 3, 2, 5, dtype=number)
    entries, others = torch.zeros(2, 2, 6, 3, 2, 5, dtype=number)
    weights, y = torch.zeros(2, 2, 4, 6, dtype=number), torch.zeros(2, 4, 2, 5, dtype=number)
    mask = torch.ones(2, 1, 1, 6, dtype=torch.bool)
    options = [1.0, 1, 1.0, 7]
    return [
        ("dropout", [flat, other, 1, 1.0, 7]),
        ("add_bias", [flat, flat[0].clone(), 1]),
        ("bias_gradient", [flat, other, flat.clone(), torch.zeros(5)]),
        ("cross_entropy", [flat, gold, *sums, 0.1]),
        ("cross_entropy_gradient", [flat, gold, *sums[:2], flat.clone(), 0.1]),
        ("attention", [queries, entries, mask, weights, y, *options]),
        ("attention_gradient", [queries, entries, weights, y, slopes, others, *options]),
        ("attend", [y.clone(), entries, mask[:, 0].expand(2, 4, 6).contiguous(), y, 1.0]),
    ]


def spoiled(tensor: Tensor) -> dict[str, Tensor | None]:
    """What no operation may take in place of a tensor."""
    other = torch.int32 if tensor.dtype in (torch.long, torch.bool) else torch.float64
    return {
        "type": tensor.to(other),
        "device": tensor.to("meta"),
        "none": None,
        "shape": tensor[1:].contiguous(),
        "no shape": tensor.new_zeros(()),
        "strides": torch.zeros(*tensor.shape, 2, dtype=tensor.dtype)[..., 0],
        "no strides": tensor.new_zeros(1).expand(tensor.shape),
    }


@TYPES
def test_no_operation_takes_a_tensor_that_it_would_read_or_write_wrongly(
    dtype: torch.dtype,
) -> None:
    tested = calls(dtype)
    assert {name for name, _ in tested} == set(dict(compiled.PROTOTYPE.findall(SOURCE)))
    for name, given in tested:
        compiled.run(name, *given)
        with pytest.raises(RuntimeError, match="values"):
            compiled.run(name, *given, 1)
        for i, tensor in enumerate(given):
            for how, wrong in spoiled(tensor).items() if isinstance(tensor, Tensor) else ():
                if i == 0 and how in ("type", "none"):
                    continue  # its type chooses the operation
                if (name, i, how) == ("add_bias", 0, "shape"):
                    continue  # it may have any number of rows
                if how == "none" and compiled.arguments(name)[1][i].nullable:
                    continue
                with pytest.raises(RuntimeError, match="the compiled operation takes"):
                    compiled.run(name, *given[:i], wrong, *given[i + 1 :])


def test_activations_of_two_types_are_refused() -> None:
    x = torch.zeros(4, 4)
    with pytest.raises(RuntimeError, match=r"y is torch.bfloat16 \[4, 4\]"):
        compiled.run("dropout", x, x.bfloat16(), 1, 1.0, 7)


@pytest.mark.parametrize(
    ("queries", "dtype"), [(1, torch.float32), (1, torch.bfloat16), (5, torch.float32)]
)
def test_a_mask_of_all_sentences(queries: int, dtype: torch.dtype) -> None:
    parts = [drawn(3, 5, 1, 2, 8, dtype=dtype), drawn(3, 5, 2, 2, 8, dtype=dtype)]
    mask = (torch.rand(queries, 5) < torch.eye(5)[:queries] + 0.5)[None, None]
    assert_exact(lambda *parts: attend(*parts, mask, 0.0), parts, dtype)


@TYPES
def test_keys_and_values_of_other_shapes_are_refused(dtype: torch.dtype) -> None:
    query, entries = drawn(3, 4, 1, 2, 8, dtype=dtype), drawn(3, 5, 2, 2, 8, dtype=dtype)
    for wrong in (entries[:2], entries[:, :, :1], entries[..., :4]):
        with pytest.raises(RuntimeError):
            attend(query, wrong, None, 0.0)


def test_a_gold_token_beyond_the_vocabulary_is_refused() -> None:
    for gold in (-1, 5):
        with pytest.raises(IndexError, match="gold tokens"):
            smoothed_cross_entropy(torch.zeros(2, 5), torch.tensor([1, gold]), 0.1)


def test_torch_computes_in_float64_and_without_gradients() -> None:
    assert not compiled.supports(torch.ones(4, dtype=torch.float64))
    x = torch.ones(4, dtype=torch.bfloat16)
    assert compiled.supports(x)
    with torch.no_grad():
        assert not compiled.supports(x)


def test_values_without_compiled_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "attempt", lambda number: (None, "there is no g++"))
    x = drawn(4, 32, dtype=torch.bfloat16)
    loss, _ = smoothed_cross_entropy(dropout(x, 0.1, training=True), torch.arange(4), 0.1)
    loss.sum().backward()
    assert x.grad.isfinite().all()


@pytest.mark.parametrize(("processor", "capability"), [("x86-64", "sse2"), ("x86-64-v3", "avx2")])
def test_a_processor_with_shorter_vectors_computes_the_same(
    processor: str, capability: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not torch.cpu.get_capabilities().get(capability):
        pytest.skip(f"this processor has no {capability}")
    flags = [f"-march={processor}" if flag == "-march=native" else flag for flag in compiled.FLAGS]
    monkeypatch.setattr(compiled, "FOLDER", tmp_path)
    monkeypatch.setattr(compiled, "FLAGS", flags)
    monkeypatch.setattr(compiled, "attempt", cache(compiled.attempt.__wrapped__))
    for dtype in compiled.NUMBERS:
        test_cross_entropy(17, 0.1, dtype)
        test_attention(34, "padding", dtype)
        test_attention_of_a_search(34, 5, True, dtype)
        test_dropout_keeps_the_mean_and_uses_one_mask_in_both_passes(0.3, dtype)

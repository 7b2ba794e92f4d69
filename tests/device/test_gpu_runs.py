"""Every method trains, resumes and decodes on a pretended GPU, and seldom waits for it."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gpu_runs
import pytest

from deepmt.decode.decoder_state import STEPS_BETWEEN_COMPACTIONS
from tiny import LINEAR, TINY, each_option

SETTINGS = TINY | {
    "training.updates": 6,
    "training.checkpoint_every": 2,
    "training.loss_average": LINEAR["training__loss_average"],
    "training.epsilon": LINEAR["training__epsilon"],
    "training.attention_dropout": 0.1,
    "decoding.max_extra": 4,
}
MOST = {"__init__": 2, "complete": 1, "hypotheses": 3, "keep": 2}
"""How often the CPU waits for the GPU in a call of each part of the search."""
SPECS = each_option(SETTINGS)
every_method = pytest.mark.parametrize(
    ("method", "precision"),
    [
        *((method, "float32") for method in SPECS),
        *(
            # What differs between precisions is the same for most methods.
            pytest.param(method, "bfloat16", marks=[pytest.mark.slow] * (number % 6 > 0))
            for number, method in enumerate(SPECS)
        ),
    ],
)
OnGpu = Callable[..., Any]


@every_method
def test_every_method_trains_and_resumes(
    method: str, precision: str, on_gpu: OnGpu, tmp_path: Path
) -> None:
    found = on_gpu(gpu_runs.training, SPECS[method], precision, tmp_path)
    assert found["apart when resumed"] == 0
    assert found["apart from the CPU's"] < {"float32": 1e-6, "bfloat16": 1e-2}[precision]
    # The first update moves the table of positions to the GPU; each reads loss and norm at once.
    assert [update.total() for update in found["waits"][1:]] == [1] * 5, found["waits"]


@every_method
def test_every_method_translates(method: str, precision: str, on_gpu: OnGpu) -> None:
    found = on_gpu(gpu_runs.translation, SPECS[method], precision)
    assert precision == "bfloat16" or found["differ"] == 0
    most = {name: max(map(Counter.total, calls)) for name, calls in found["waits"].items()}
    assert most == MOST | {"step": 1}, found["waits"]
    assert not any(found["waits"]["step"][: STEPS_BETWEEN_COMPACTIONS - 1])


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("x + x", 0),
        ("x[0] = 1.0", 0),
        ("torch.where(x > 0, x, 0)", 0),
        ("host.pin_memory().to('cuda', non_blocking=True)", 0),
        ("host.to('cuda', non_blocking=True)", 1),
        ("torch.tensor([1], device='cuda')", 1),
        ("x[[0, 1]]", 1),
        ("x.to('cpu')", 1),
        ("x.tolist()", 1),
        ("float(x.sum())", 1),
        ("x.masked_select(rows[:, None])", 1),
        ("x.nonzero()", 1),
        ("x[rows] = 0", 1),
    ],
)
def test_what_makes_the_cpu_wait(statement: str, count: int, on_gpu: OnGpu) -> None:
    assert on_gpu(gpu_runs.work, statement) == (count, "")


@pytest.mark.parametrize(
    "statement", ["x + host", "x @ host.T", "torch.cat([host, x])", "x.addmm_(x[:, :3], host)"]
)
def test_operations_refuse_two_devices(statement: str, on_gpu: OnGpu) -> None:
    _, message = on_gpu(gpu_runs.work, statement)
    assert "Expected all tensors to be on the same device" in message

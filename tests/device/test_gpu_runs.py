"""Every method trains, resumes and decodes on a pretended GPU, and seldom waits for it."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gpu_runs
import pytest

import deepmt
from deepmt.decode.decoder_state import STEPS_BETWEEN_COMPACTIONS
from deepmt.settings.spec import Spec
from tiny import LINEAR, TINY, each_option, legal

SETTINGS = TINY | {
    "training.updates": 6,
    "training.checkpoint_every": 2,
    "training.loss_average": LINEAR["training__loss_average"],
    "training.epsilon": LINEAR["training__epsilon"],
    "training.attention_dropout": 0.1,
    "decoding.max_extra": 4,
}
NORMS = 3
"""Waits for norms that are logged: of each stack's layers, and of the outputs of encoder layers."""
MOST = {"__init__": 2, "complete": 1, "hypotheses": 3, "keep": 2}
"""How often the CPU waits for the GPU in a call of each part of the search."""
SPECS = each_option(SETTINGS)
TRAINED = SPECS | {
    "muon": legal(SETTINGS | {"training.optimizer": "muon"}),
    "device batches": legal(SETTINGS | {"training.device_tokens": 20}),
}
CALLS = {"float32": 486, "bfloat16": 484}
"""Calls of the GPU in an update of the post-norm model with 2+2 layers."""
OUTSIDE = 12
"""Calls at most of what a graph of forward pass, loss and backward pass would not hold."""
DETERMINISTIC = "torch.use_deterministic_algorithms(True)"
OnGpu = Callable[..., Any]


def every_method(specs: dict[str, Spec]) -> pytest.MarkDecorator:
    """Each method in float32 and in bfloat16, where what differs is the same for most."""
    return pytest.mark.parametrize(
        ("method", "precision"),
        [
            *((method, "float32") for method in specs),
            *(
                pytest.param(method, "bfloat16", marks=[pytest.mark.slow] * (number % 6 > 0))
                for number, method in enumerate(specs)
            ),
        ],
    )


@every_method(TRAINED)
def test_every_method_trains_and_resumes(
    method: str, precision: str, on_gpu: OnGpu, tmp_path: Path
) -> None:
    found = on_gpu(gpu_runs.training, TRAINED[method], precision, tmp_path)
    assert found["apart when resumed"] == 0
    exact = precision == "float32" and method != "muon"  # Muon multiplies in bfloat16
    assert found["apart from the CPU's"] < (1e-6 if exact else 1e-2)
    # The first update moves the table of positions to the GPU; each reads loss and norm at once.
    assert [update.total() for update in found["waits"][1:]] == [1] * 5, found["waits"]
    assert found["waits for norms"].total() == NORMS, found["waits for norms"]


@every_method(SPECS)
def test_every_method_translates(method: str, precision: str, on_gpu: OnGpu) -> None:
    found = on_gpu(gpu_runs.translation, SPECS[method], precision)
    assert precision == "bfloat16" or found["differ"] == 0
    most = {name: max(map(Counter.total, calls)) for name, calls in found["waits"].items()}
    assert most == MOST | {"step": 1}, found["waits"]
    assert not any(found["waits"]["step"][: STEPS_BETWEEN_COMPACTIONS - 1])


@pytest.mark.parametrize("precision", CALLS)
def test_an_update_calls_the_gpu_no_more_often(precision: str, on_gpu: OnGpu) -> None:
    calls, outside = on_gpu(gpu_runs.calls_of_update, SPECS["post"], precision)
    assert calls <= CALLS[precision]
    assert outside <= OUTSIDE


@pytest.mark.parametrize(
    ("statement", "waits", "calls", "problem"),
    [
        ("x + x", 0, 1, ""),
        ("x[0] = 1.0", 0, 1, ""),
        ("x.to('cpu')", 1, 1, ""),
        ("torch._foreach_copy_([x, x], [x.double(), x])", 0, 2, ""),
        ("host.pin_memory().to('cuda', non_blocking=True)", 0, 1, ""),
        ("host.to('cuda', non_blocking=True)", 1, 1, ""),
        ("float(x.sum())", 1, 2, ""),
        ("x.cumsum(0)", 0, 1, ""),
        (f"{DETERMINISTIC}; x.int().cumsum(0)", 0, 2, ""),
        (f"{DETERMINISTIC}; x.cumsum(0)", 0, 0, "does not have a deterministic implementation"),
        ("x @ host.T", 0, 0, "Expected all tensors to be on the same device"),
    ],
)
def test_the_pretended_gpu_counts_calls_and_waits_and_refuses_two_devices(
    statement: str, waits: int, calls: int, problem: str, on_gpu: OnGpu
) -> None:
    waited, called, message = on_gpu(gpu_runs.work, statement)
    assert problem in message
    assert (waited, called) == (waits, calls) or problem


@pytest.mark.parametrize(
    ("folder", "places"),
    [(Path(deepmt.__file__).parent, ["file.py:1"]), (Path("/deepmt/lib/deepmt"), [])],
)
def test_a_wait_is_noted_at_a_line_of_the_package_alone(
    folder: Path, places: list[str], on_gpu: OnGpu
) -> None:
    """All files of a clone may lie below a folder of its name."""
    [found] = on_gpu(gpu_runs.noted, folder / "file.py")
    assert found.split(" at ")[1:] == places

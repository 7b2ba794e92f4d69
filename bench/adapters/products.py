"""Repeat only the products of our search with weights: the limit that the machine sets."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from bench.adapters.ours import VERSION, new_model, searching
from bench.adapters.torch_system import num_parameters
from bench.worker import System, Task
from bench.workload import Sentences, draw_sentences

PRODUCTS = ("aten::linear", "mkldnn::_linear_pointwise", "onednn::qlinear_pointwise")
"""torch's operations for x W^T + b in all precisions; x is their first argument."""


class RecordedProducts(TorchDispatchMode):
    """Record the products of what runs in this context.

    Inputs of the same shape are one tensor, since those of a search are in the cache as well.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Callable[[], Tensor]] = []
        self.inputs: dict[tuple[Any, ...], Tensor] = {}

    def __torch_dispatch__(
        self,
        operation: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Compute an operation, and keep it if it is a product."""
        if operation.name() in PRODUCTS:
            x, *others = args
            x = self.inputs.setdefault((x.shape, x.dtype), x)
            self.calls.append(partial(operation, x, *others, **kwargs or {}))
        return operation(*args, **kwargs or {})


def decode(task: Task) -> System:
    """Multiply as our search of one batch does, for each batch."""
    [first], search = draw_sentences(task.size, 1), searching(task)
    with RecordedProducts() as recorded:
        search(first)

    @torch.inference_mode()
    def run(batches: Sequence[Sentences]) -> float:
        began = time.perf_counter()
        for _ in batches:
            for product in recorded.calls:
                product()
        return time.perf_counter() - began

    parameters = num_parameters(new_model(task.size))
    return System(name="products alone", version=VERSION, parameters=parameters, run=run)

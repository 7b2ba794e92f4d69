"""Repeat only our products with weights, and of their gradients: the limit of the machine."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from bench.adapters import ours
from bench.adapters.ours import VERSION, new_model, searching
from bench.adapters.torch_system import num_parameters
from bench.worker import System, Task
from bench.workload import draw_sentences, draw_training

PRODUCTS = {
    "aten::linear": 0,
    "aten::mm": 0,
    "aten::addmm": 1,
    "aten::addmm_": 1,
    "mkldnn::_linear_pointwise": 0,
    "onednn::qlinear_pointwise": 0,
}
"""torch's operations for x W^T + b and its gradients in all precisions -> the place of x."""


class RecordedProducts(TorchDispatchMode):
    """Record the products of what runs in this context.

    Inputs of the same shape are one tensor, since those of a model are in the cache as well.
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
        if (place := PRODUCTS.get(operation.name())) is not None:
            before, (x, *after) = args[:place], args[place:]
            x = self.inputs.setdefault((x.shape, x.stride(), x.dtype), x.detach())
            self.calls.append(partial(operation, *before, x, *after, **kwargs or {}))
        return operation(*args, **kwargs or {})


def decode(task: Task) -> System:
    """Multiply as our search of one batch does, for each batch."""
    [first], search = draw_sentences(task.size, 1), searching(task)
    with RecordedProducts() as recorded:
        search(first)
    return repeated(recorded, num_parameters(new_model(task.size)))


def train(task: Task) -> System:
    """Multiply as our update on one batch does, for each batch."""
    first, system = draw_training(task.size, 1), ours.train(task)
    with RecordedProducts() as recorded:
        system.run(first)
    return repeated(recorded, system.parameters)


def repeated(recorded: RecordedProducts, parameters: int) -> System:
    """Return the system that computes the recorded products for each batch."""

    @torch.inference_mode()
    def run(batches: Sequence[Any]) -> float:
        began = time.perf_counter()
        for _ in batches:
            for product in recorded.calls:
                product()
        return time.perf_counter() - began

    return System(name="products alone", version=VERSION, parameters=parameters, run=run)

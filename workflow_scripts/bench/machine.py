"""The machine's matrix rate: what no training engine on it can beat."""

import time
from collections.abc import Callable

import torch
from torch import Tensor

from deepmt.train.engine import multiplies_bfloat16

WIDTHS = {"cpu": 2048, "cuda": 8192}
REPEATS = 5

Rates = dict[str, dict[str, float]]
Product = Callable[[Tensor, Tensor], Tensor]


def matrix_rates(device: str) -> Rates:
    """GFLOP/s of a large square product by data type and library, with torch's present threads.

    The rate of a type is that of its fastest library: on some processors torch's own choice for
    float32 reaches half of what another one that it ships with does.
    """
    types = {"float32": torch.float32}
    if multiplies_bfloat16(device):
        types["bfloat16"] = torch.bfloat16
    return {
        name: {library: rate(product, dtype, device) for library, product in products(device)}
        for name, dtype in types.items()
    }


def products(device: str) -> list[tuple[str, Product]]:
    """The libraries that multiply matrices on a device: torch's choice, and oneDNN by name."""
    found: list[tuple[str, Product]] = [("torch.matmul", torch.matmul)]
    if device == "cpu" and torch.backends.mkldnn.is_available():
        found.append(("oneDNN", onednn))
    return found


def onednn(a: Tensor, b: Tensor) -> Tensor:
    """a b of square matrices, whichever library torch would choose."""
    return torch.ops.mkldnn._linear_pointwise(a, b.t(), None, "none", [], "")


def rate(product: Product, dtype: torch.dtype, device: str) -> float:
    """The best of several, after one to warm up."""
    width = WIDTHS[device]
    a, b = (torch.randn(width, width, device=device, dtype=dtype) for _ in range(2))
    fastest = min(seconds(product, a, b) for _ in range(1 + REPEATS))
    return 2 * width**3 / fastest / 1e9


def seconds(product: Product, a: Tensor, b: Tensor) -> float:
    """Of one product."""
    began = time.perf_counter()
    product(a, b)[0, 0].item()  # waits for a GPU
    return time.perf_counter() - began

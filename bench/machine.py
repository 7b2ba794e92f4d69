"""The machine's matrix rate: what no engine on it can beat."""

import time
from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor

WIDTHS = {"cpu": 2048, "cuda": 8192}
REPEATS = 5
MIDDLE = 128
"""The zero of unsigned bytes."""

Rates = dict[str, dict[str, float]]
Product = Callable[[], Tensor]


def matrix_rates(device: str, types: Sequence[str]) -> Rates:
    """GFLOP/s of a large square product by data type and library, with torch's present threads.

    The rate of a type is that of its fastest library: on some processors torch's own choice for
    float32 reaches half of what another one that it ships with does.
    """
    width = WIDTHS[device]
    rates: Rates = {}
    for name in types:
        products = of_bytes(width, device) if name == "int8" else of_floats(name, width, device)
        rates[name] = {library: rate(product, width) for library, product in products.items()}
    return rates


def of_floats(name: str, width: int, device: str) -> dict[str, Product]:
    """The libraries that multiply matrices on a device: torch's choice, and oneDNN by name."""
    dtype = getattr(torch, name)
    a, b = (torch.randn(width, width, device=device, dtype=dtype) for _ in range(2))
    found: dict[str, Product] = {"torch.matmul": partial(torch.matmul, a, b)}
    if device == "cpu" and torch.backends.mkldnn.is_available():
        by_name = torch.ops.mkldnn._linear_pointwise
        found["oneDNN"] = partial(by_name, a, b.t(), None, "none", [], "")
    return found


def of_bytes(width: int, device: str) -> dict[str, Product]:
    """Bytes by bytes; the CPU's instructions take the left ones without a sign."""
    a, b = (torch.randint(-127, 127, (width, width)).to(device) for _ in range(2))
    if device != "cpu":
        return {"torch._int_mm": partial(torch._int_mm, a.to(torch.int8), b.to(torch.int8))}
    left = (a + MIDDLE).to(torch.uint8)
    right = torch.ops.onednn.qlinear_prepack(b.to(torch.int8), None)
    ones, zeros = torch.ones(width), torch.zeros(width, dtype=torch.long)

    def product() -> Tensor:
        return torch.ops.onednn.qlinear_pointwise(
            left, 1.0, MIDDLE, right, ones, zeros, None, 1.0, 0, torch.float32, "none", [], ""
        )

    return {"oneDNN": product}


def rate(product: Product, width: int) -> float:
    """The best of several, after one to warm up."""
    fastest = min(seconds(product) for _ in range(1 + REPEATS))
    return 2 * width**3 / fastest / 1e9


def seconds(product: Product) -> float:
    """Of one product."""
    began = time.perf_counter()
    product()[0, 0].item()  # waits for a GPU
    return time.perf_counter() - began

"""Convert models to lower precision for decoding."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.base.errors import UserError
from deepmt.kernels import fast_linear
from deepmt.model.linear import Linear
from deepmt.model.transformer import Transformer

INT8_MAX, ZERO_POINT = 127, 128
SMALLEST_SCALE = 1e-12
"""Avoids division by zero for a row of zeros."""


def weight_limit() -> int:
    """Return the largest |q| of a weight whose products this processor adds up exactly.

    x86 without VNNI adds two products of 8 bits in 16 bits, which hold 2 * 255 * 64 but no more.
    """
    processor = torch.cpu.get_capabilities()
    exact = any(processor.get(flag) for flag in ("avx512_vnni", "avx_vnni", "amx_int8"))
    return INT8_MAX if exact or processor["architecture"] != "x86_64" else 64


class PackedLinear(nn.Module):
    """Compute y = x W^T + b in float32 with a packed copy of W, which oneDNN need not reorder."""

    def __init__(self, linear: Linear, weight: Tensor) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weight = weight
        self.bias = None if linear.bias is None else linear.bias.detach()
        self.part = linear.part

    def forward(self, x: Tensor) -> Tensor:
        """Return all outputs: [..., I] -> [..., O]."""
        return self._product(x, "none")

    def rectified(self, x: Tensor) -> Tensor:
        """Return max(0, y): [..., I] -> [..., O]."""
        return self._product(x, "relu")

    def _product(self, x: Tensor, activation: str) -> Tensor:
        rows = x.reshape(-1, x.size(-1))
        y = fast_linear.in_few_shapes(rows, self.weight, self.bias, activation)
        return y.view(*x.shape[:-1], -1)


def pack(linear: Linear) -> nn.Module:
    """Return a layer with packed weights, or this one if that would be slower."""
    weight = fast_linear.packed(linear.weight.detach())
    return linear if weight is None else PackedLinear(linear, weight)


class Bfloat16Linear(nn.Module):
    """Compute y = x W^T + b in bfloat16; y has the type of x."""

    def __init__(self, linear: Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        bias = None if linear.bias is None else linear.bias.detach().bfloat16()
        self.register_buffer("weight", linear.weight.detach().bfloat16())
        self.register_buffer("bias", bias)

    def forward(self, x: Tensor) -> Tensor:
        """Return all outputs: [..., I] -> [..., O]."""
        return functional.linear(x.bfloat16(), self.weight, self.bias).to(x.dtype)

    def rectified(self, x: Tensor) -> Tensor:
        """Return max(0, y): [..., I] -> [..., O]."""
        return torch.relu(self(x))

    def part(self, x: Tensor, rows: slice) -> Tensor:
        """Return only the outputs of these rows of W: [..., I] -> [..., rows]."""
        return functional.linear(x.bfloat16(), self.weight[rows], self.bias[rows]).to(x.dtype)


class Int8Linear(nn.Module):
    """Compute y = s_x s_w (q_x q_w^T) + b with integers q = round(w / s) and s = max|w| / 127.

    Each row of x and W has its own scale, so no row's result depends on other rows.
    W has `weight_limit()` in place of 127.
    """

    def __init__(self, linear: Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        weight = linear.weight.detach().float()
        self.scales = weight.abs().amax(1).clamp(min=SMALLEST_SCALE) / weight_limit()
        whole = (weight / self.scales[:, None]).round().to(torch.int8)
        self.packed = torch.ops.onednn.qlinear_prepack(whole, None)
        self.zeros = torch.zeros(len(whole), dtype=torch.long)
        self.bias = None if linear.bias is None else linear.bias.detach().float()

    def forward(self, x: Tensor) -> Tensor:
        """Return all outputs: [..., I] -> [..., O]."""
        rows = x.reshape(-1, x.size(-1))
        scale = rows.abs().amax(1, keepdim=True).clamp_(min=SMALLEST_SCALE).div_(INT8_MAX)
        whole = (rows * scale.reciprocal()).round_().to(torch.int8)
        # oneDNN is fast for unsigned x: flipping the highest bit turns q into q + 128.
        shifted = whole.view(torch.uint8).bitwise_xor_(ZERO_POINT)
        y = torch.ops.onednn.qlinear_pointwise(
            shifted, 1.0, ZERO_POINT, self.packed, self.scales, self.zeros, None,
            1.0, 0, torch.float32, "none", [], "",
        )  # fmt: skip
        y = y.mul_(scale) if self.bias is None else torch.addcmul(self.bias, y, scale)
        return y.view(*x.shape[:-1], -1)

    def rectified(self, x: Tensor) -> Tensor:
        """Return max(0, y): [..., I] -> [..., O]."""
        return torch.relu(self(x))

    def part(self, x: Tensor, rows: slice) -> Tensor:
        """Return only the outputs of these rows of W: [..., I] -> [..., rows]."""
        return self(x)[..., rows]


LAYERS: dict[str, Callable[[Linear], nn.Module]] = {
    "float32": pack,
    "bfloat16": Bfloat16Linear,
    "int8": Int8Linear,
}
"""Precision -> the layer that replaces a linear one on a CPU."""


def prepare(model: nn.Module, precision: str) -> nn.Module:
    """Convert all matrices of a model in place to this precision, for decoding only; return it.

    On a GPU, all other weights, activations and caches of a Transformer are in bfloat16 too; RNMT+
    adds up cells in float32.

    Raises:
        ValueError: the precision is not supported on this device.
    """
    device = next(model.parameters()).device.type
    if precision == "int8" and device != "cpu":
        raise UserError("precision=int8 needs a CPU: use bfloat16 on a GPU")
    if precision == "bfloat16" and device != "cpu" and isinstance(model, Transformer):
        model.bfloat16()  # a CPU computes little else than products faster in bfloat16
    elif precision != "float32" or device == "cpu":
        replace_linear(model, LAYERS[precision])
    return model.eval()


def replace_linear(module: nn.Module, layer: Callable[[Linear], nn.Module]) -> None:
    """Replace every Linear by `layer(linear)`."""
    for name, child in module.named_children():
        if isinstance(child, Linear):
            setattr(module, name, layer(child))
        else:
            replace_linear(child, layer)

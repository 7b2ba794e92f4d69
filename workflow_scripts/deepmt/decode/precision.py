"""Models ready to decode with fewer bits a weight."""

from collections.abc import Callable
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.model.linear import Linear

Precision = Literal["float32", "bfloat16", "int8"]
STEPS, MIDDLE = 127, 128
SMALLEST_SCALE = 1e-12
"""Keeps a row of zeros from being divided by zero."""


class Bfloat16Linear(nn.Module):
    """y = x W^T + b with x, W and b in bfloat16; what comes in and goes out keeps its type."""

    def __init__(self, of: Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = of.in_features, of.out_features
        self.register_buffer("weight", of.weight.detach().bfloat16())
        self.register_buffer("bias", None if of.bias is None else of.bias.detach().bfloat16())

    def forward(self, x: Tensor) -> Tensor:
        """[..., I] -> [..., O]."""
        return functional.linear(x.bfloat16(), self.weight, self.bias).to(x.dtype)

    def part(self, x: Tensor, rows: slice) -> Tensor:
        """Some of the outputs alone: [..., I] -> [..., rows]."""
        return functional.linear(x.bfloat16(), self.weight[rows], self.bias[rows]).to(x.dtype)


class Int8Linear(nn.Module):
    """y = s_x s_w (q_x q_w^T) + b: whole numbers q = round(w / s) with s = max|w| / 127.

    Every row of x and of W has a scale of its own, so that no row's result depends on others.
    """

    def __init__(self, of: Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = of.in_features, of.out_features
        weight = of.weight.detach().float()
        self.scales = weight.abs().amax(1).clamp(min=SMALLEST_SCALE) / STEPS
        whole = (weight / self.scales[:, None]).round().to(torch.int8)
        self.packed = torch.ops.onednn.qlinear_prepack(whole, None)
        self.zeros = torch.zeros(len(whole), dtype=torch.long)
        self.bias = None if of.bias is None else of.bias.detach().float()

    def forward(self, x: Tensor) -> Tensor:
        """[..., I] -> [..., O]."""
        rows = x.reshape(-1, x.size(-1))
        scale = rows.abs().amax(1, keepdim=True).clamp_(min=SMALLEST_SCALE).div_(STEPS)
        whole = (rows * scale.reciprocal()).round_().to(torch.int8)
        # oneDNN is fast on numbers from 0 to 255: with the highest bit turned, q is q + 128.
        shifted = whole.view(torch.uint8).bitwise_xor_(MIDDLE)
        y = torch.ops.onednn.qlinear_pointwise(
            shifted, 1.0, MIDDLE, self.packed, self.scales, self.zeros, None,
            1.0, 0, torch.float32, "none", [], "",
        )  # fmt: skip
        y = y.mul_(scale) if self.bias is None else torch.addcmul(self.bias, y, scale)
        return y.view(*x.shape[:-1], -1)

    def part(self, x: Tensor, rows: slice) -> Tensor:
        """Some of the outputs alone: [..., I] -> [..., rows]."""
        return self(x)[..., rows]


LAYERS: dict[str, type[nn.Module]] = {"bfloat16": Bfloat16Linear, "int8": Int8Linear}


def prepare(model: nn.Module, precision: str) -> nn.Module:
    """The model with every matrix in this precision, for decoding alone; it changes in place.

    Raises:
        ValueError: there is no such precision, or not on this device.
    """
    if precision not in get_args(Precision):
        raise ValueError(f"precision={precision} is not one of {', '.join(get_args(Precision))}")
    device = next(model.parameters()).device.type
    if precision == "int8" and device != "cpu":
        raise ValueError("precision=int8 is for the CPU: take bfloat16 on a GPU")
    if precision != "float32":
        replace(model, LAYERS[precision])
    return model.eval()


def replace(module: nn.Module, layer: Callable[[Linear], nn.Module]) -> None:
    """Put `layer(of)` in the place of every Linear."""
    for name, child in module.named_children():
        if isinstance(child, Linear):
            setattr(module, name, layer(child))
        else:
            replace(child, layer)

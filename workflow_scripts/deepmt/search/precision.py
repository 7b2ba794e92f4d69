"""Models ready to decode with fewer bits a weight."""

from typing import Literal

from torch import Tensor, nn
from torch.nn import functional

from deepmt.nn.linear import Linear

Precision = Literal["float32", "bfloat16", "int8"]


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


LAYERS = {"bfloat16": Bfloat16Linear}


def prepare(model: nn.Module, precision: str) -> nn.Module:
    """The model with every matrix in this precision, for decoding alone; it changes in place."""
    if precision == "float32":
        return model.eval()
    replace(model, LAYERS[precision])
    return model.eval()


def replace(module: nn.Module, layer: type[nn.Module]) -> None:
    """Put `layer(of)` in the place of every Linear."""
    for name, child in module.named_children():
        if isinstance(child, Linear):
            setattr(module, name, layer(child))
        else:
            replace(child, layer)

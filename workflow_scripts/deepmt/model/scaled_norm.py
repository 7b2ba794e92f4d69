"""Place norms as two later variants of pre-norm do."""

import math

from torch import Tensor, nn

from deepmt.model.norm import NormFactory, NormScheme, Placement, placement
from deepmt.model.sublayer_index import SublayerIndex
from deepmt.settings.spec import Spec


class Divided(nn.Module):
    """Divide the output of a norm by a constant."""

    def __init__(self, norm: nn.Module, divisor: float) -> None:
        super().__init__()
        self.norm = norm
        self.divisor = divisor

    def forward(self, x: Tensor) -> Tensor:
        """Normalise each position: [B, T, D] -> [B, T, D]."""
        return self.norm(x) / self.divisor


def scaled_pre(new: NormFactory, index: SublayerIndex) -> Placement:
    """Place LayerNorm Scaling: x' = x + F(LN(x) / sqrt(l)) in layer l (Sun 2025)."""
    return placement(before=Divided(new(), math.sqrt(index.layer)))


def peri(new: NormFactory, index: SublayerIndex) -> Placement:
    """Place a peri-norm: x' = x + LN(F(LN(x))) (Kim 2025)."""
    return placement(before=new(), exit=new())


SCHEMES = {
    "scaled_pre": NormScheme(scaled_pre, scaled_pre, True),
    "peri": NormScheme(peri, peri, True),
}


def norm(spec: Spec) -> NormScheme:
    """Return the norm scheme of a spec; the final norm is not scaled."""
    return SCHEMES[spec.method.norm.name]

"""Implement Keel: x' = LN(alpha x + F(LN(x))) (Chen and Wei 2026)."""

from deepmt.model.deepnorm import ScaledResidual
from deepmt.model.norm import NormFactory, NormScheme, Placement, placement, pre
from deepmt.model.sublayer_index import SublayerIndex
from deepmt.settings.spec import Spec


def keel(new: NormFactory, index: SublayerIndex) -> Placement:
    """Place both norms; the first layer is plain pre-norm, as in one of two implementations."""
    return pre(new, index) if index.layer == 1 else placement(before=new(), after=new())


def norm(spec: Spec) -> NormScheme:
    """Return the norm scheme; the last sublayer's own norm ends the stack."""
    return NormScheme(keel, keel, final=False)


def residual(spec: Spec, index: SublayerIndex) -> ScaledResidual:
    """Return alpha x + F(x), alpha the number of sublayers in the stack, and 1 in the first layer.

    The paper's models have a decoder only. Counting cross-attention is our extension.
    """
    return ScaledResidual(1.0 if index.layer == 1 else float(index.sublayers))

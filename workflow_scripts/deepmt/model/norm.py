"""The place of layer normalisation in a sublayer: three functions (entry, before, after).

A sublayer computes x' = after(residual(e, dropout(f(before(e))))) with e = entry(x).
"""

from collections.abc import Callable
from typing import NamedTuple

from torch import nn

from deepmt.config.spec import Spec

NewNorm = Callable[[], nn.Module]


class Placement(NamedTuple):
    """The functions around one sublayer."""

    entry: nn.Module
    before: nn.Module
    after: nn.Module


def post(new: NewNorm) -> Placement:
    """x' = LN(x + F(x)): Vaswani 2017; Zhang 2019, Eqs. 2-5; Wang 2019, Eq. 3."""
    return Placement(nn.Identity(), nn.Identity(), new())


def pre(new: NewNorm) -> Placement:
    """x' = x + F(LN(x)): Wang 2019, Eq. 4; needs one more LN after the stack."""
    return Placement(nn.Identity(), new(), nn.Identity())


def entering(new: NewNorm) -> Placement:
    """u = LN(x); x' = u + F(u): attention sublayers of lingvo: the residual is the normed x."""
    return Placement(new(), nn.Identity(), nn.Identity())


Placed = Callable[[NewNorm], Placement]


class NormScheme(NamedTuple):
    """Placements around attention and feed-forward; whether a norm ends the stack."""

    attention: Placed
    feed_forward: Placed
    final: bool


SCHEMES = {
    "post": NormScheme(post, post, False),
    "pre": NormScheme(pre, pre, True),
    "lingvo": NormScheme(entering, pre, False),
}


def norm(spec: Spec) -> NormScheme:
    """Return the placements of a spec."""
    return SCHEMES[spec.method.norm.name]

"""Place layer normalisation in a sublayer by three functions (entry, before, after).

A sublayer computes x' = after(residual(e, dropout(f(before(e))))) with e = entry(x).
"""

from collections.abc import Callable
from typing import NamedTuple

from torch import nn

from deepmt.config.spec import Spec

NormFactory = Callable[[], nn.Module]


class Placement(NamedTuple):
    """Hold the functions around one sublayer."""

    entry: nn.Module
    before: nn.Module
    after: nn.Module


def post(new: NormFactory) -> Placement:
    """Place a post-norm: x' = LN(x + F(x)).

    Vaswani 2017; Zhang 2019, Eqs. 2-5; Wang 2019, Eq. 3.
    """
    return Placement(nn.Identity(), nn.Identity(), new())


def pre(new: NormFactory) -> Placement:
    """Place a pre-norm: x' = x + F(LN(x)) (Wang 2019, Eq. 4); the stack needs a final LN."""
    return Placement(nn.Identity(), new(), nn.Identity())


def normed_residual(new: NormFactory) -> Placement:
    """Normalise the residual, too: u = LN(x), x' = u + F(u), as lingvo's attention sublayers do."""
    return Placement(new(), nn.Identity(), nn.Identity())


PlacementFactory = Callable[[NormFactory], Placement]


class NormScheme(NamedTuple):
    """Place norms around attention and feed-forward, and after the stack if `final`."""

    attention: PlacementFactory
    feed_forward: PlacementFactory
    final: bool


SCHEMES = {
    "post": NormScheme(post, post, False),
    "pre": NormScheme(pre, pre, True),
    "lingvo": NormScheme(normed_residual, pre, False),
}


def norm(spec: Spec) -> NormScheme:
    """Return the norm scheme of a spec."""
    return SCHEMES[spec.method.norm.name]

"""Place layer normalisation in a sublayer by four functions (entry, before, exit, after).

A sublayer computes x' = after(residual(e, dropout(exit(f(before(e)))))) with e = entry(x).
"""

from collections.abc import Callable
from typing import NamedTuple

from torch import nn

from deepmt.config.spec import Spec
from deepmt.model.sublayer_index import SublayerIndex

NormFactory = Callable[[], nn.Module]


class Placement(NamedTuple):
    """Hold the functions around one sublayer."""

    entry: nn.Module
    before: nn.Module
    exit: nn.Module
    after: nn.Module


def placement(**functions: nn.Module) -> Placement:
    """Return a placement with these functions, and the identity in all other places."""
    return Placement(*(functions.get(name, nn.Identity()) for name in Placement._fields))


def none(new: NormFactory, index: SublayerIndex) -> Placement:
    """Place no norm: x' = x + F(x)."""
    return placement()


def post(new: NormFactory, index: SublayerIndex) -> Placement:
    """Place a post-norm: x' = LN(x + F(x)).

    Vaswani 2017; Zhang 2019, Eqs. 2-5; Wang 2019, Eq. 3.
    """
    return placement(after=new())


def pre(new: NormFactory, index: SublayerIndex) -> Placement:
    """Place a pre-norm: x' = x + F(LN(x)) (Wang 2019, Eq. 4); the stack needs a final LN."""
    return placement(before=new())


def normed_residual(new: NormFactory, index: SublayerIndex) -> Placement:
    """Normalise the residual, too: u = LN(x), x' = u + F(u), as lingvo's attention sublayers do."""
    return placement(entry=new())


PlacementFactory = Callable[[NormFactory, SublayerIndex], Placement]


class NormScheme(NamedTuple):
    """Place norms around attention and feed-forward, and after the stack if `final`."""

    attention: PlacementFactory
    feed_forward: PlacementFactory
    final: bool


SCHEMES = {
    "post": NormScheme(post, post, False),
    "pre": NormScheme(pre, pre, True),
    "lingvo": NormScheme(normed_residual, pre, False),
    "none": NormScheme(none, none, False),
}


def norm(spec: Spec) -> NormScheme:
    """Return the norm scheme of a spec."""
    return SCHEMES[spec.method.norm.name]

"""Place layer normalisation in a sublayer by five functions (entry, before, exit, shortcut, after).

A sublayer computes x' = after(shortcut(residual(e, dropout(exit(f(before(e))))), y)) with
e = entry(x), and y the input of its layer, which only the last sublayer of the layer is given.
"""

from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor, nn

from deepmt.model.sublayer_index import SublayerIndex
from deepmt.settings.spec import Spec

NormFactory = Callable[[], nn.Module]


class Placement(NamedTuple):
    """Hold the functions around one sublayer."""

    entry: nn.Module
    before: nn.Module
    exit: nn.Module
    shortcut: nn.Module
    after: nn.Module


class NoShortcut(nn.Module):
    """Return x alone."""

    def forward(self, x: Tensor, layer_input: Tensor | None) -> Tensor:
        """Ignore the layer's input: [B, T, D] -> [B, T, D]."""
        return x


def placement(**functions: nn.Module) -> Placement:
    """Return a placement with these functions, and the identity in all other places."""
    found = {"shortcut": NoShortcut()} | functions
    return Placement(*(found.get(name, nn.Identity()) for name in Placement._fields))


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


def nothing(f: nn.Module) -> None:
    """Leave the function of a sublayer as it is."""


class NormScheme(NamedTuple):
    """Place norms around attention and feed-forward, and after the stack if `final`."""

    attention: PlacementFactory
    feed_forward: PlacementFactory
    final: bool
    inside: Callable[[nn.Module], None] = nothing
    """Place norms inside the function of a sublayer."""


SCHEMES = {
    "post": NormScheme(post, post, False),
    "pre": NormScheme(pre, pre, True),
    "lingvo": NormScheme(normed_residual, pre, False),
    "none": NormScheme(none, none, False),
}


def norm(spec: Spec) -> NormScheme:
    """Return the norm scheme of a spec."""
    return SCHEMES[spec.method.norm.name]

"""Where layer normalisation stands around a sublayer: three small functions (entry, before, after).

A sublayer computes x' = after(skip(e) + dropout(f(before(e)))) with e = entry(x).
"""

from collections.abc import Callable
from typing import NamedTuple

from torch import nn

NewNorm = Callable[[], nn.Module]


class Placement(NamedTuple):
    """The functions around one sublayer."""

    entry: nn.Module
    before: nn.Module
    after: nn.Module


def post(norm: NewNorm) -> Placement:
    """x' = LN(x + F(x)): Vaswani 2017; Zhang 2019, Eqs. 2-5; Wang 2019, Eq. 3."""
    return Placement(nn.Identity(), nn.Identity(), norm())


def pre(norm: NewNorm) -> Placement:
    """x' = x + F(LN(x)): Wang 2019, Eq. 4; needs one more LN after the stack."""
    return Placement(nn.Identity(), norm(), nn.Identity())


def entering(norm: NewNorm) -> Placement:
    """u = LN(x); x' = u + F(u): attention sublayers of lingvo, whose skip starts after the norm."""
    return Placement(norm(), nn.Identity(), nn.Identity())

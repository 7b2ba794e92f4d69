"""Define ReZero (Bachlechner 2021): no norms, and layers that begin as the identity."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("residual", module="deepmt.model.rezero")
class ReZeroResidual(Options):
    """Weight the update: x + alpha F(x), with one trained alpha a layer, at first 0."""

    needs: ClassVar = {"norm": ("none",)}
    name: Literal["rezero"] = "rezero"

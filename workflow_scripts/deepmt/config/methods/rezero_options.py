"""Define ReZero (Bachlechner 2021): no norms, and layers that begin as the identity."""

from typing import TYPE_CHECKING, Literal

from deepmt.config.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.config.spec import Spec


@option_of("residual", module="deepmt.model.rezero")
class ReZeroResidual(Options):
    """Weight the update: x + alpha F(x), with one trained alpha a layer, at first 0."""

    name: Literal["rezero"] = "rezero"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rule that there is no norm."""
        rule = "method.residual=rezero replaces layer normalisation: set method.norm=none"
        return {rule: spec.method.names["norm"] != "none"}

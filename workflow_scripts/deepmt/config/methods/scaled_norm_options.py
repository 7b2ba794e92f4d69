"""Define variants of pre-norm since 2024: LayerNorm Scaling, Peri-LN and Keel."""

from typing import TYPE_CHECKING, ClassVar, Literal

from deepmt.config.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.config.spec import Spec


@option_of("norm", module="deepmt.model.scaled_norm")
class LayerNormScaling(Options):
    """Divide the normalised input of layer l by sqrt(l) (Sun 2025)."""

    name: Literal["scaled_pre"] = "scaled_pre"


@option_of("norm", module="deepmt.model.scaled_norm")
class PeriNorm(Options):
    """Normalise the input and the output of each sublayer (Kim 2025)."""

    name: Literal["peri"] = "peri"


@option_of("norm", module="deepmt.model.keel")
class KeelNorm(Options):
    """Apply post-norm to a heavier residual of a pre-norm sublayer (Chen and Wei 2026)."""

    name: Literal["keel"] = "keel"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rule that norm and residual are one method."""
        return keel_is_whole(spec)


@option_of("residual", module="deepmt.model.keel")
class KeelResidual(Options):
    """Weight the residual by the number of sublayers in the stack."""

    named: ClassVar = False  # its norm is
    name: Literal["keel"] = "keel"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rule that norm and residual are one method."""
        return keel_is_whole(spec)


def keel_is_whole(spec: "Spec") -> dict[str, bool]:
    """Return the rule that Keel's norm and residual come together."""
    names = spec.method.names
    rule = "Keel is method.norm=keel with method.residual=keel: set both"
    return {rule: names["norm"] != "keel" or names["residual"] != "keel"}

"""Define variants of pre-norm since 2024: LayerNorm Scaling, Peri-LN and Keel."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


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

    needs: ClassVar = {"residual": ("keel",)}
    name: Literal["keel"] = "keel"


@option_of("residual", module="deepmt.model.keel")
class KeelResidual(Options):
    """Weight the residual by the number of sublayers in the stack."""

    needs: ClassVar = {"norm": ("keel",)}
    named: ClassVar = False  # its norm is
    name: Literal["keel"] = "keel"

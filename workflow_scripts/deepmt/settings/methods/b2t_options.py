"""Define the B2T connection (Takase 2023), and the smaller weights of its code."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("norm", module="deepmt.model.b2t")
class B2TNorm(Options):
    """Add a layer's input before the last norm of a post-norm layer."""

    needs: ClassVar = {"encoder_residual": (True,)}
    name: Literal["b2t"] = "b2t"


@option_of("initialisation", module="deepmt.init.root_depth")
class RootDepth(Options):
    """Divide all weights of a stack's layers by the root of their number, as the code of B2T."""

    name: Literal["root_depth"] = "root_depth"

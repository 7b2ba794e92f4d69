"""Define the B2T connection (Takase 2023), and the smaller weights of its code."""

from typing import TYPE_CHECKING, Literal

from deepmt.config.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.config.spec import Spec


@option_of("norm", module="deepmt.model.b2t")
class B2TNorm(Options):
    """Add a layer's input before the last norm of a post-norm layer."""

    name: Literal["b2t"] = "b2t"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rule that the other residual connections are there."""
        rule = "method.norm=b2t adds to residual connections: set method.encoder_residual=true"
        return {rule: not spec.method.encoder_residual}


@option_of("initialisation", module="deepmt.init.root_depth")
class RootDepth(Options):
    """Divide all weights of a stack's layers by the root of their number, as the code of B2T."""

    name: Literal["root_depth"] = "root_depth"

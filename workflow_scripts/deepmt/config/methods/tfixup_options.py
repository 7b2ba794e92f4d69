"""Define T-Fixup (Huang 2020): no norms, and weights small enough to do without."""

from typing import TYPE_CHECKING, Literal

from deepmt.config.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.config.spec import Spec


@option_of("initialisation", module="deepmt.init.tfixup")
class TFixup(Options):
    """Draw embeddings, feed-forward layers, values and outputs smaller the deeper the model."""

    name: Literal["tfixup"] = "tfixup"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rule that there is no norm."""
        rule = "method.initialisation=tfixup replaces layer normalisation: set method.norm=none"
        return {rule: spec.method.names["norm"] != "none"}

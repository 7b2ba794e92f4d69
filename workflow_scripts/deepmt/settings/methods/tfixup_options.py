"""Define T-Fixup (Huang 2020): no norms, and weights small enough to do without."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("initialisation", module="deepmt.init.tfixup")
class TFixup(Options):
    """Draw embeddings, feed-forward layers, values and outputs smaller the deeper the model."""

    needs: ClassVar = {"norm": ("none",)}
    name: Literal["tfixup"] = "tfixup"

"""Define the dynamic linear combination of layers (Wang 2019, section 3)."""

from typing import TYPE_CHECKING, Literal

from deepmt.config.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.config.spec import Spec


@option_of("layer_aggregation", module="deepmt.model.dlcl")
class Dlcl(Options):
    """Feed each layer a learned combination of all earlier outputs (Eqs. 7-9)."""

    name: Literal["dlcl"] = "dlcl"
    weights: Literal["learned", "one", "average"] = "learned"
    norm: bool = True
    """Apply the combination's layer norms: before it with pre-norm, after it with post-norm."""

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rules of a combination of layers."""
        names = spec.method.names
        return {
            "method.layer_aggregation=dlcl is defined for norm=pre and norm=post (Wang 2019)": (
                names["norm"] not in ("pre", "post")
            ),
            "method.encoder_output=transparent mixes what method.layer_aggregation=dlcl already "
            "combines: choose one": names["encoder_output"] == "transparent",
        }

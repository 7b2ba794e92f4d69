"""Define Hyper-Connections (Zhu 2024) whose copies of the state are not mixed."""

from typing import TYPE_CHECKING, ClassVar, Literal

from deepmt.config.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.config.spec import Spec


@option_of("norm", module="deepmt.model.hyper_connections")
class HyperConnectionsNorm(Options):
    """Read a weighted sum of four copies of the state, and normalise it."""

    name: Literal["hyper_connections"] = "hyper_connections"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rules that norm and residual are one method, which keeps a state of copies."""
        names = spec.method.names
        plain = names["layer_aggregation"] == "previous" and names["encoder_output"] == "top"
        return {
            "Hyper-Connections are method.norm=hyper_connections with "
            "method.residual=hyper_connections: set both": names["norm"] != names["residual"],
            "Hyper-Connections keep copies between layers, which nothing else reads: set "
            "method.layer_aggregation=previous and method.encoder_output=top": not plain,
        }


@option_of("residual", module="deepmt.model.hyper_connections")
class HyperConnectionsResidual(HyperConnectionsNorm):
    """Add an update to four copies of the state, with a weight for each."""

    named: ClassVar = False  # its norm is

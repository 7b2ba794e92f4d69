"""Define Hyper-Connections (Zhu 2024) whose copies of the state are not mixed."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("norm", module="deepmt.model.hyper_connections")
class HyperConnectionsNorm(Options):
    """Read a weighted sum of four copies of the state, and normalise it."""

    keeps: ClassVar = 13.0
    """Four copies, normalised to read and to write, and what was read."""
    needs: ClassVar = {
        "residual": ("hyper_connections",),
        "layer_aggregation": ("previous",),
        "encoder_output": ("top",),
    }
    """Nothing else reads the copies, which it keeps between layers."""
    name: Literal["hyper_connections"] = "hyper_connections"


@option_of("residual", module="deepmt.model.hyper_connections")
class HyperConnectionsResidual(HyperConnectionsNorm):
    """Add an update to four copies of the state, with a weight for each."""

    named: ClassVar = False  # its norm is
    keeps: ClassVar = 0.0  # its norm counts it
    needs: ClassVar = {"norm": ("hyper_connections",)}

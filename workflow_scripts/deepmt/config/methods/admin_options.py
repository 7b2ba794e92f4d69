"""Define ADMIN (Liu 2020, section 3): weighted residuals, and how they are initialised."""

from typing import ClassVar, Literal

from deepmt.config.methods import Options, option_of


@option_of("residual", module="deepmt.model.omega")
class OmegaResidual(Options):
    """Weight the residual: omega * x, with one trained weight a channel."""

    named: ClassVar = False  # Admin, which it needs, is
    exported: ClassVar = True
    name: Literal["omega"] = "omega"


@option_of("initialisation", module="deepmt.init.admin")
class Admin(Options):
    """Initialise omegas from a profile of the first batch."""

    name: Literal["admin"] = "admin"
    profile: Literal["sequential", "paper"] = "sequential"
    """Measured with earlier omegas applied (the released code), or by the printed formula."""

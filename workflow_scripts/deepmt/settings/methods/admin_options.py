"""Define ADMIN (Liu 2020, section 3): weighted residuals, and how they are initialised."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("residual", module="deepmt.model.omega")
class OmegaResidual(Options):
    """Weight the residual: omega * x, with one trained weight a channel."""

    needs: ClassVar = {"norm": ("post",), "initialisation": ("admin", "admin_closed")}
    named: ClassVar = False  # Admin, which it needs, is
    exported: ClassVar = True
    name: Literal["omega"] = "omega"


@option_of("initialisation", module="deepmt.init.admin")
class Admin(Options):
    """Initialise omegas from a profile of the first batch."""

    needs: ClassVar = {"residual": ("omega",)}
    name: Literal["admin"] = "admin"
    profile: Literal["sequential", "paper"] = "sequential"
    """Measured with earlier omegas applied (the released code), or by the printed formula."""


@option_of("initialisation", module="deepmt.init.admin_closed")
class AdminClosed(Options):
    """Set omegas by a formula of depth alone (admin-torch): no profile and no data."""

    needs: ClassVar = {"residual": ("omega",)}
    name: Literal["admin_closed"] = "admin_closed"
    growth: Literal["log", "linear", "none"] = "log"
    """How the variance of the output grows with depth: as O(log n), O(n) or O(1)."""

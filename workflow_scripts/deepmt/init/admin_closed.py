"""Initialise by ADMIN in closed form: residual weights from depth alone (admin-torch)."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from deepmt.init import glorot
from deepmt.init.glorot import Batch
from deepmt.model.omega import Omega
from deepmt.settings.spec import Spec


def omega_of(sublayers: int, growth: str) -> float:
    """Return the weight of every residual connection in a stack of n sublayers.

    omega^2 = (n + 1) / ln(n + 1) - 1 lets the variance of the output grow as O(log n); n as O(1);
    1 as O(n) (microsoft/admin-torch, admin.py).
    """
    if growth == "log":
        return math.sqrt((sublayers + 1) / math.log(sublayers + 1) - 1)
    return math.sqrt(sublayers) if growth == "none" else 1.0


@torch.no_grad()
def initialisation(model: nn.Module, spec: Spec, batch: Callable[[], Batch]) -> dict[str, Any]:
    """Draw weights by `glorot`, then set the omegas, which train; return them by stack."""
    glorot.initialisation(model, spec, batch)
    profile = {}
    for name in ("encoder", "decoder"):
        omegas = [m for m in getattr(model, name).modules() if isinstance(m, Omega)]
        value = omega_of(len(omegas), spec.method.initialisation.growth)
        for residual in omegas:
            residual.omega.fill_(value)
        profile[name] = [value] * len(omegas)
    return profile

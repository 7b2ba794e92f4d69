"""Apply the initialisation that a spec names."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from torch import Tensor, nn

from deepmt.settings.method import initialisation_module
from deepmt.settings.spec import Spec


def initialise_(
    model: nn.Module, spec: Spec, batch: Callable[[], tuple[Tensor, Tensor]]
) -> dict[str, Any]:
    """Draw the weights of `model`; return the profile of ADMIN (empty for other methods).

    `batch` returns the first training batch and is called only by methods that measure it.
    """
    return import_module(initialisation_module(spec.method)).initialisation(model, spec, batch)

"""The initialisation that a spec names."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from torch import Tensor, nn

from deepmt.config.method import initialisation_module
from deepmt.config.spec import Spec


def initialise_(
    model: nn.Module, spec: Spec, batch: Callable[[], tuple[Tensor, Tensor]]
) -> dict[str, Any]:
    """Draw the weights of `model`; return ADMIN's profile (empty for the others).

    `batch` yields the first training batch and is called only where a method measures one.
    """
    return import_module(initialisation_module(spec.method)).initialisation(model, spec, batch)

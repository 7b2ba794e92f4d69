"""Build the model of a spec from the modules that its options name.

The module of each choice has a function named like the choice (`norm`, `residual`, ...). No other
module is imported, so a run depends only on the code of its own methods.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from torch import nn

from deepmt.base.errors import UserError
from deepmt.settings.spec import Spec


def build(spec: Spec, source_vocabulary: int, target_vocabulary: int) -> nn.Module:
    """Build the model of a spec with torch's default weights; `deepmt.init` draws the real ones.

    Raises:
        ValueError: both sides share one matrix, but their vocabularies differ in size.
    """
    if spec.model.tie == "all" and source_vocabulary != target_vocabulary:
        raise UserError(
            f"model.tie=all needs one vocabulary, but there are {source_vocabulary} source and "
            f"{target_vocabulary} target types: set data.shared_vocabulary=true"
        )
    return implementation(spec, "family")(spec, source_vocabulary, target_vocabulary)


def implementation(spec: Spec, choice: str) -> Callable[..., Any]:
    """Return the function that makes the part of a model selected by a choice."""
    return getattr(import_module(getattr(spec.method, choice).module), choice)

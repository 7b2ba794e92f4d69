"""From a spec to its model: every choice is made by the module that its options name.

A choice's module has a function with the choice's name (`norm`, `residual`, ...), and nothing else
of a model is imported, so that a run depends on no method but its own.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from torch import nn

from deepmt.config.spec import Spec


def build(spec: Spec, source_vocabulary: int, target_vocabulary: int) -> nn.Module:
    """Build the model of a spec with weights as torch leaves them; `deepmt.init` draws them.

    Raises:
        ValueError: one matrix for both sides with vocabularies of different size.
    """
    if spec.model.tie == "all" and source_vocabulary != target_vocabulary:
        raise ValueError(
            f"model.tie=all needs one vocabulary, got {source_vocabulary} source and "
            f"{target_vocabulary} target types: encode with data.shared_vocabulary=true"
        )
    return implementation(spec, "family")(spec, source_vocabulary, target_vocabulary)


def implementation(spec: Spec, choice: str) -> Callable[..., Any]:
    """Return the function that makes the part of a model which a choice is about."""
    return getattr(import_module(getattr(spec.method, choice).module), choice)

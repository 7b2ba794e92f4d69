"""Load a trained model for decoding."""

from collections.abc import Sequence
from pathlib import Path

from torch import nn

from deepmt.config.spec import Spec
from deepmt.model.build import build
from deepmt.model.weights import load_model_file


def load_model(spec: Spec, weights: Path, vocabularies: Sequence[int], device: str) -> nn.Module:
    """Build the model of a spec for vocabularies of these sizes and load its weights.

    Raises:
        ValueError: the weights are damaged, or do not fit the spec or the vocabularies.
    """
    model = build(spec, *vocabularies).to(device)
    load_model_file(model, weights)
    return model

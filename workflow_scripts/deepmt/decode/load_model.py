"""Load a trained model to translate with."""

from collections.abc import Sequence
from pathlib import Path

from torch import nn

from deepmt.decode.precision import prepare
from deepmt.model.build import build
from deepmt.model.weights import load_model_file
from deepmt.settings.spec import Spec


def load_model(
    spec: Spec, sizes: Sequence[int], weights: Path, device: str, precision: str
) -> nn.Module:
    """Return a plain model, prepared for decoding in this precision."""
    return prepare(plain_model(spec, sizes, weights, device), precision)


def plain_model(spec: Spec, sizes: Sequence[int], weights: Path, device: str) -> nn.Module:
    """Build the model of a spec for vocabularies of these sizes and load its weights.

    Raises ValueError if the weights are damaged, or do not fit the spec or the vocabularies.
    """
    model = build(spec, *sizes).to(device)
    load_model_file(model, weights)
    return model

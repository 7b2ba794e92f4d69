"""Load a trained model for decoding."""

from collections.abc import Sequence
from pathlib import Path

from safetensors.torch import load_file
from torch import nn

from deepmt.config.spec import Spec
from deepmt.model.build import build
from deepmt.model.weights import load_weights


def load_model(
    spec: Spec, weights: Path, dataset: Path, vocabularies: Sequence[int], device: str
) -> nn.Module:
    """Build the model of a spec for vocabularies of these sizes and load its weights.

    Raises:
        ValueError: the weights do not fit the spec or the vocabularies.
    """
    model = build(spec, *vocabularies).to(device)
    try:
        load_weights(model, load_file(weights))
    except ValueError as error:
        raise ValueError(
            f"{weights} with the vocabularies of {dataset}: {error}; train the model again"
        ) from error
    return model

"""Choose between the last weights of a run and the mean of its last checkpoints."""

from collections.abc import Sequence

import torch
from torch import nn

from deepmt.data.encoded import EncodedPair
from deepmt.model.weights import load_weights
from deepmt.train.checkpoint import SavedFile
from deepmt.train.evaluate import perplexity
from deepmt.train.mean_weights import mean


def better_weights(
    saved: Sequence[SavedFile], model: nn.Module, dev: EncodedPair, max_length: int
) -> tuple[list[SavedFile], dict[str, float]]:
    """Return all checkpoints, or the last if it predicts dev better than their mean.

    Return both perplexities on dev as well. The model has the last weights evaluated afterwards.
    """
    choices = {"mean": list(saved), "last": list(saved[-1:])}
    found = {}
    for name, files in choices.items():
        weights = {key: torch.from_numpy(x) for key, x in mean([f.path for f in files]).items()}
        load_weights(model, weights)
        found[name] = perplexity(model, dev, max_length)
    return choices[min(found, key=found.__getitem__)], found

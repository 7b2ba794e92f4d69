"""Choose the weights that a run is scored by, at its end and at each milestone before it."""

from collections.abc import Callable, Sequence

from torch import nn

from deepmt.data.encoded import EncodedPair
from deepmt.model.weights import load_weights
from deepmt.settings.spec import Training
from deepmt.train.checkpoint import SavedFile
from deepmt.train.evaluate import perplexity
from deepmt.train.mean_weights import mean


def choose_weights(
    recipe: Training,
    model: nn.Module,
    dev: Callable[[], EncodedPair],
    saved: Sequence[SavedFile],
) -> tuple[list[SavedFile], dict[str, float]]:
    """Return all checkpoints, or with `average: better` the last if it predicts dev better.

    Return the perplexities on dev as well, if they were compared. The model has the last weights
    afterwards; `dev` opens the dev split.
    """
    choices = {"mean": list(saved), "last": list(saved[-1:])}
    if recipe.average != "better":
        return choices["mean"], {}
    found = {}
    for name, files in choices.items():
        load_weights(model, mean([file.path for file in files]))
        found[name] = perplexity(model, dev(), recipe.max_length)
    model.train()
    return choices[min(found, key=found.__getitem__)], found

"""Choose the weights that a run is scored by, at its end and at each milestone before it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from torch import nn

from deepmt.data.encoded import EncodedPair
from deepmt.model.weights import as_tensors, load_weights
from deepmt.settings.spec import Training
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.evaluate import perplexity
from deepmt.train.mean_weights import mean
from deepmt.train.outcome import Milestone
from deepmt.train.saved_file import SavedFile


@dataclass(frozen=True)
class ChosenWeights:
    """Name files of weights, whose mean is scored."""

    files: Sequence[SavedFile]
    updates: tuple[int, ...]
    """Those that the weights are of."""
    on_dev: dict[str, float]
    """Perplexities of what was compared; empty if nothing was."""

    @classmethod
    def of(
        cls, files: Sequence[SavedFile], on_dev: Mapping[str, float] | None = None
    ) -> "ChosenWeights":
        """Return the weights of these checkpoints."""
        return cls(files, tuple(saved.update for saved in files), dict(on_dev or {}))

    @classmethod
    def of_best(cls, best: Milestone, checkpoints: Checkpoints) -> "ChosenWeights":
        """Return the weights of the checkpoint that predicted dev best."""
        file = SavedFile(best.update, checkpoints.folder / best.file)
        return cls([file], best.averaged_updates, best.dev_perplexities)

    @property
    def perplexity(self) -> float:
        """Return the perplexity on dev of the weights, which were compared."""
        return min(self.on_dev.values())


def choose_weights(
    recipe: Training,
    model: nn.Module,
    dev: Callable[[], EncodedPair],
    saved: Sequence[SavedFile],
) -> ChosenWeights:
    """Return all checkpoints, or the last one if dev is asked and it predicts dev better.

    The model has the last weights afterwards; `dev` opens the dev split.
    """
    choices = {"mean": list(saved), "last": list(saved[-1:])}
    if not recipe.asks_dev:
        return ChosenWeights.of(saved)
    found = {}
    for name, files in choices.items():
        load_weights(model, as_tensors(mean([file.path for file in files])))
        found[name] = perplexity(model, dev(), recipe.max_length)
    model.train()
    return ChosenWeights.of(choices[min(found, key=found.__getitem__)], found)

"""Hooks that evaluate and log something while a run trains."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from torch import nn

from deepmt.config.spec import Training
from deepmt.data.encoded import EncodedPair
from deepmt.train.evaluate import perplexity
from deepmt.train.gradient_norms import gradient_norms
from deepmt.train.layer_weights import layer_weights
from deepmt.train.output_gradients import OutputGradients
from deepmt.train.running_loss import RunningLoss

DIGITS = 5
"""Significant digits in the log: more would not show in any figure."""


@dataclass(frozen=True, kw_only=True)
class Hook:
    """Something to evaluate at every `every`-th update, and its name in the log."""

    name: str
    every: int
    evaluate: Callable[[nn.Module], dict[str, Any]]
    of_gradients: bool = False
    """Evaluate between the backward pass and the step."""
    begin: Callable[[nn.Module], None] | None = None
    """Called before the backward pass of an update that is evaluated."""
    last: int = 0
    """An update that is evaluated in any case."""

    def due(self, update: int) -> bool:
        """Return whether to evaluate this update."""
        return update % self.every == 0 or update == self.last


@dataclass(frozen=True, kw_only=True)
class LoggingIntervals:
    """Updates between two evaluations; 0 = never."""

    dev: int = 0
    """Perplexity of the dev split; also at the end."""
    gradients: int = 0
    """Norms of the gradient of every layer's parameters (Zhang 2019, Figure 4) and of every encoder
    layer's output (Bapna 2018, r_t), and the loss since the last time (Liu 2020, Figure 2)."""
    layer_weights: int = 0
    """Learned weights of layers (Bapna 2018, Figure 4; Wang 2019, Figure 5); also at the end."""


def hooks(
    every: LoggingIntervals,
    model: nn.Module,
    running: RunningLoss,
    recipe: Training,
    dev: Callable[[], EncodedPair],
) -> Iterator[Hook]:
    """Yield the hooks of a run; `dev` opens the dev split."""
    if every.dev:
        split = dev()

        def dev_perplexity(model: nn.Module) -> dict[str, float]:
            return {"ppl": perplexity(model, split, recipe.max_length)}

        yield Hook(name="dev", every=every.dev, evaluate=dev_perplexity, last=recipe.updates)
    if every.gradients:
        outputs = OutputGradients()
        yield Hook(
            name="gradients", every=every.gradients, evaluate=gradient_norms, of_gradients=True
        )
        yield Hook(
            name="signals",
            every=every.gradients,
            begin=outputs.begin,
            evaluate=outputs.take,
            of_gradients=True,
        )
        yield Hook(name="training", every=every.gradients, evaluate=lambda model: running.take())
    if every.layer_weights and layer_weights(model):
        yield Hook(
            name="mixtures",
            every=every.layer_weights,
            evaluate=layer_weights,
            last=recipe.updates,
        )


def rounded(value: Any) -> Any:
    """Round the numbers in lists or mappings of any depth, so that lines stay short."""
    if isinstance(value, dict):
        return {key: rounded(child) for key, child in value.items()}
    if isinstance(value, list):
        return [rounded(child) for child in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value

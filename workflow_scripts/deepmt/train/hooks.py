"""Evaluate and log values at regular updates of a training."""

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
"""Significant digits in the log; figures show no more."""


@dataclass(frozen=True, kw_only=True)
class Hook:
    """Evaluate something at every `every`-th update and log it under `name`."""

    name: str
    every: int
    evaluate: Callable[[nn.Module], dict[str, Any]]
    before_step: bool = False
    """Evaluate between the backward pass and the optimiser step, while gradients exist."""
    begin: Callable[[nn.Module], None] | None = None
    """Called before the forward pass of an update that is due."""
    last: int = 0
    """An update at which the hook is always due."""

    def due(self, update: int) -> bool:
        """Check if the hook evaluates this update."""
        return update % self.every == 0 or update == self.last


@dataclass(frozen=True, kw_only=True)
class LoggingIntervals:
    """Set the number of updates between two evaluations; 0 = never."""

    dev: int = 0
    """Perplexity of the dev split; also at the end."""
    gradients: int = 0
    """Gradient norms of each layer's parameters (Zhang 2019, Figure 4) and of each encoder layer's
    output (Bapna 2018, r_t), and the loss since the last evaluation (Liu 2020, Figure 2)."""
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
            name="gradients", every=every.gradients, evaluate=gradient_norms, before_step=True
        )
        yield Hook(
            name="output_gradients",
            every=every.gradients,
            begin=outputs.begin,
            evaluate=outputs.take,
            before_step=True,
        )
        yield Hook(name="training", every=every.gradients, evaluate=lambda model: running.take())
    if every.layer_weights and layer_weights(model):
        yield Hook(
            name="layer_weights",
            every=every.layer_weights,
            evaluate=layer_weights,
            last=recipe.updates,
        )


def rounded(value: Any) -> Any:
    """Round the numbers in nested lists and mappings to keep log lines short."""
    if isinstance(value, dict):
        return {key: rounded(child) for key, child in value.items()}
    if isinstance(value, list):
        return [rounded(child) for child in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value

"""Evaluate and log values at regular updates of a training."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from torch import nn

from deepmt.config.spec import Training
from deepmt.data.encoded import EncodedPair
from deepmt.train.evaluate import perplexity, to_perplexity
from deepmt.train.layer_measures import OutputGradients, gradient_norms, layer_weights
from deepmt.train.workers import Workers

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
    shared: bool = False
    """All workers evaluate it together; others concern the first worker alone."""

    def due(self, update: int) -> bool:
        """Check if the hook evaluates this update."""
        return update % self.every == 0 or update == self.last


@dataclass(frozen=True, kw_only=True)
class LoggingIntervals:
    """Set the number of updates between two evaluations; 0 = never.

    Dev perplexity and layer weights are evaluated at the end, too.
    """

    dev_every: Annotated[int, "updates between evaluations of dev perplexity"] = 0
    gradients_every: Annotated[int, "updates between gradient norms of every layer"] = 0
    """Norms of each layer's parameters (Zhang 2019, Figure 4) and of each encoder layer's output
    (Bapna 2018, r_t), and the loss since the last evaluation (Liu 2020, Figure 2)."""
    layer_weights_every: Annotated[int, "updates between learned layer weights, if any"] = 0
    """As in Bapna 2018, Figure 4, and Wang 2019, Figure 5."""


@dataclass
class RunningLoss:
    """Sum losses of training batches over the updates since the last call of `take`."""

    loss: float = 0.0
    updates: int = 0
    nll: float = 0.0
    tokens: int = 0

    def add(self, loss: float, nll: float, tokens: int) -> None:
        """Add one update: its loss, and its negative log-likelihood summed over target tokens."""
        self.loss += loss
        self.updates += 1
        self.nll += nll
        self.tokens += tokens

    def take(self) -> dict[str, float]:
        """Return mean loss, and perplexity without smoothing but with dropout; reset the sums."""
        found = {"loss": self.loss / self.updates, "ppl": to_perplexity(self.nll / self.tokens)}
        self.loss, self.updates, self.nll, self.tokens = 0.0, 0, 0.0, 0
        return found


def hooks(
    every: LoggingIntervals,
    model: nn.Module,
    running: RunningLoss,
    recipe: Training,
    dev: Callable[[], EncodedPair],
    workers: Workers,
) -> Iterator[Hook]:
    """Yield the hooks of a run; `dev` opens the dev split."""
    at_end = partial(Hook, last=recipe.updates)
    if every.dev_every:
        split = dev()

        def dev_perplexity(model: nn.Module) -> dict[str, float]:
            return {"ppl": perplexity(model, split, recipe.max_length, workers)}

        yield at_end(name="dev", every=every.dev_every, evaluate=dev_perplexity, shared=True)
    if every.gradients_every:
        outputs = OutputGradients()
        hook = partial(Hook, every=every.gradients_every)
        yield hook(name="gradients", evaluate=gradient_norms, before_step=True)
        yield hook(
            name="output_gradients", begin=outputs.begin, evaluate=outputs.take, before_step=True
        )
        yield hook(name="training", evaluate=lambda model: running.take())
    if every.layer_weights_every and layer_weights(model):
        yield at_end(name="layer_weights", every=every.layer_weights_every, evaluate=layer_weights)


def rounded(value: Any) -> Any:
    """Round the numbers in nested lists and mappings to keep log lines short."""
    if isinstance(value, dict):
        return {key: rounded(child) for key, child in value.items()}
    if isinstance(value, list):
        return [rounded(child) for child in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value

"""Evaluate and log values at regular updates of a training."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from deepmt.data.encoded import EncodedPair
from deepmt.settings.strict import CountOrNone
from deepmt.train.evaluate import perplexity, to_perplexity
from deepmt.train.layer_measures import OutputGradients, gradient_norms, layer_weights
from deepmt.train.update import Updater

DIGITS = 5
"""Significant digits in the log; figures show no more."""


@dataclass(frozen=True, kw_only=True)
class LoggingIntervals:
    """Set the number of updates between two evaluations; 0 = never.

    Dev perplexity and layer weights are evaluated at the end, too.
    """

    dev_every: Annotated[CountOrNone, "updates between evaluations of dev perplexity"] = 0
    gradients_every: Annotated[CountOrNone, "updates between gradient norms of every layer"] = 0
    """Norms of each layer's parameters (Zhang 2019, Figure 4) and of each encoder layer's output
    (Bapna 2018, r_t), and the loss since the last evaluation (Liu 2020, Figure 2)."""
    layer_weights_every: Annotated[CountOrNone, "updates between learned layer weights, if any"] = 0
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


@dataclass
class Measurements:
    """Evaluate what is due at an update, before and after its step."""

    every: LoggingIntervals
    updater: Updater
    dev: Callable[[], EncodedPair]
    """Opens the dev split."""
    running: RunningLoss = field(default_factory=RunningLoss)
    outputs: OutputGradients = field(default_factory=OutputGradients)

    def begin(self, update: int) -> None:
        """Prepare for the forward pass of an update."""
        if self._measures_gradients(update):
            self.outputs.begin(self.updater.working)

    def before_step(self, update: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield names and values of what needs the gradients."""
        if self._measures_gradients(update):
            yield "gradients", gradient_norms(self.updater.model)
            yield "output_gradients", self.outputs.take()

    def after_step(self, update: int, *, at_end: bool) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield names and values of the rest; all workers share the dev split."""
        model, workers = self.updater.model, self.updater.workers
        if due(self.every.dev_every, update, at_end=at_end):
            longest = self.updater.spec.training.max_length
            yield "dev", {"ppl": perplexity(model, self.dev(), longest, workers)}
        if self._measures_gradients(update):
            yield "training", self.running.take()
        weights_due = due(self.every.layer_weights_every, update, at_end=at_end)
        if workers.writes and weights_due and (weights := layer_weights(model)):
            yield "layer_weights", weights

    def _measures_gradients(self, update: int) -> bool:
        return self.updater.workers.writes and due(self.every.gradients_every, update)


def due(every: int, update: int, *, at_end: bool = False) -> bool:
    """Check if an update is a multiple of `every`, unless that is 0, or the end."""
    return every > 0 and (update % every == 0 or at_end)


def rounded(value: Any) -> Any:
    """Round the numbers in nested lists and mappings to keep log lines short."""
    if isinstance(value, dict):
        return {key: rounded(child) for key, child in value.items()}
    if isinstance(value, list):
        return [rounded(child) for child in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value

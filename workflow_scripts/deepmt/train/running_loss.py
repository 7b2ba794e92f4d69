"""Average loss and perplexity over recent training batches."""

from dataclasses import dataclass

from deepmt.train.evaluate import to_perplexity


@dataclass
class RunningLoss:
    """Sum losses over the updates since the last call of `take`."""

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

"""How well a model predicts the text that it is being trained on."""

from dataclasses import dataclass

from deepmt.train.evaluate import exponential


@dataclass
class Progress:
    """Sums over the updates since the last look at them."""

    loss: float = 0.0
    updates: int = 0
    nll: float = 0.0
    tokens: int = 0

    def add(self, loss: float, nll: float, tokens: int) -> None:
        """Take one update: its loss, and -log p summed over its target tokens."""
        self.loss += loss
        self.updates += 1
        self.nll += nll
        self.tokens += tokens

    def take(self) -> dict[str, float]:
        """Mean loss, and perplexity without label smoothing but with dropout; then begin anew."""
        found = {"loss": self.loss / self.updates, "ppl": exponential(self.nll / self.tokens)}
        self.loss, self.updates, self.nll, self.tokens = 0.0, 0, 0.0, 0
        return found

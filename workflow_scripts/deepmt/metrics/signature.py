"""Write signatures of metrics that sacreBLEU cannot describe."""

from typing import Any

from sacrebleu.metrics.base import Signature


class WrittenSignature(Signature):
    """Represent a signature by a text; a bootstrap adds samples and seed, as in sacreBLEU."""

    def __init__(self, args: dict[str, Any], text: str) -> None:
        super().__init__(args)
        self.text = text

    def format(self, short: bool = False) -> str:
        """Return the text with bootstrap samples and seed; `short` makes no difference."""
        added = {"bs": self.info["bs"], "rs": self.info["seed"]}
        return "|".join([self.text, *(f"{k}:{v}" for k, v in added.items() if v is not None)])

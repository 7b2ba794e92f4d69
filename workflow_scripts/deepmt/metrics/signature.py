"""Signatures of metrics that sacreBLEU cannot describe."""

from typing import Any

from sacrebleu.metrics.base import Signature


class WrittenSignature(Signature):
    """A signature written by hand; a bootstrap adds its samples and seed, as in sacreBLEU's."""

    def __init__(self, args: dict[str, Any], text: str) -> None:
        super().__init__(args)
        self.text = text

    def format(self, short: bool = False) -> str:
        """Return the text and what was added, short or not."""
        added = {"bs": self.info["bs"], "rs": self.info["seed"]}
        return "|".join([self.text, *(f"{k}:{v}" for k, v in added.items() if v is not None)])

"""Hold the state of a decoder between two steps: caches and beam ancestry."""

from typing import Any

import torch
from torch import Tensor, nn

from deepmt.decode.ancestry import BeamAncestry


class DecoderState:
    """Decode S sentences with `beam` open hypotheses each, N = S * beam rows."""

    def __init__(self, model: nn.Module, encoded: Any, beam: int, steps: int) -> None:
        """Start decoding the output of `model.encode`; no sentence takes more than `steps`."""
        self.model = model
        self.caches = model.start(encoded, beam)
        mask = self.caches.mask
        self.ancestry = BeamAncestry(len(mask), beam, steps, mask.device)
        self.sentences = torch.arange(len(mask), device=mask.device)

    @property
    def lengths(self) -> list[int]:
        """Return the number of steps taken by each sentence."""
        return self.ancestry.lengths

    def step(self, tokens: Tensor) -> Tensor:
        """Return the next logits: last token of each hypothesis, EOS at first, [N] -> [N, V]."""
        return self.model.step(tokens, self.ancestry.begin_step(), self.caches)

    def reorder(self, origin: Tensor) -> None:
        """End a step: hypothesis b of sentence s continues from hypothesis origin[s, b]."""
        self.ancestry.reorder(origin)
        self.caches.reorder(self.ancestry.rows(self.sentences, origin))
        entries = self.ancestry.compaction()
        if entries is not None:
            self.caches.compact(entries)

    def keep(self, sentences: list[int]) -> None:
        """Keep only these sentences."""
        chosen = self.sentences[sentences]
        self.caches.keep(chosen, self.ancestry.rows(chosen, self.ancestry.beam))
        self.ancestry.keep(sentences)
        self.sentences = self.sentences[: len(sentences)]

    def clear(self, sentences: list[int]) -> None:
        """Clear these sentences, which are complete."""
        self.ancestry.clear(sentences)

    def put(self, sentences: list[int], new: "DecoderState") -> None:
        """Replace these sentences by those of `new`, which are at their first step."""
        chosen = self.sentences[sentences]
        rows = self.ancestry.rows(chosen, self.ancestry.beam)
        self.caches.put(chosen, rows, new.caches)
        self.clear(sentences)

    def narrow(self, length: int) -> None:
        """Drop source positions beyond this length, that of the longest open sentence."""
        self.caches.narrow(length)

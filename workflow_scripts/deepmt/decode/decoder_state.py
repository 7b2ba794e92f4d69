"""A decoder between two steps: its caches, and the ancestry of its hypotheses."""

from typing import Any

import torch
from torch import Tensor, nn

from deepmt.decode.ancestry import BeamAncestry


class DecoderState:
    """S sentences with `beam` open hypotheses each, N = S * beam rows."""

    def __init__(self, model: nn.Module, encoded: Any, beam: int, steps: int) -> None:
        """Begin to decode what `model.encode` returned; no sentence takes more than `steps`."""
        self.model = model
        self.caches = model.start(encoded, beam)
        mask = self.caches.mask
        self.ancestry = BeamAncestry(len(mask), beam, steps, mask.device)
        self.sentences = torch.arange(len(mask), device=mask.device)

    @property
    def ages(self) -> list[int]:
        """Steps taken by each sentence."""
        return self.ancestry.ages

    def step(self, tokens: Tensor) -> Tensor:
        """The last token of each hypothesis [N], at first the end symbol -> logits [N, V]."""
        return self.model.step(tokens, self.ancestry.begin_step(), self.caches)

    def reorder(self, origin: Tensor) -> None:
        """End a step: hypothesis b of sentence s goes on from what origin[s, b] was."""
        self.ancestry.reorder(origin)
        self.caches.reorder(self.ancestry.rows(self.sentences, origin))
        entries = self.ancestry.compaction()
        if entries is not None:
            self.caches.compact(entries)

    def keep(self, sentences: list[int]) -> None:
        """Drop all other sentences."""
        chosen = self.sentences[sentences]
        self.caches.keep(chosen, self.ancestry.rows(chosen, self.ancestry.beam))
        self.ancestry.keep(sentences)
        self.sentences = self.sentences[: len(sentences)]

    def clear(self, sentences: list[int]) -> None:
        """Forget these sentences, which are finished."""
        self.ancestry.clear(sentences)

    def put(self, sentences: list[int], new: "DecoderState") -> None:
        """Replace these sentences by those of `new`, which have just begun."""
        chosen = self.sentences[sentences]
        rows = self.ancestry.rows(chosen, self.ancestry.beam)
        self.caches.put(chosen, rows, new.caches)
        self.clear(sentences)

    def narrow(self, length: int) -> None:
        """Drop positions beyond the longest source sentence in use."""
        self.caches.narrow(length)

"""Cache keys and values of earlier positions, so that a decoding step computes only one position.

S sentences are decoded at a time, each with `beam` hypotheses: N = S * beam rows. Keys and values
of a position are an entry of its sentence, which stays in place when hypotheses are reordered: each
row attends to the entries of its sentence under a mask that selects its own past.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

FIRST_POSITIONS = 16


@dataclass(frozen=True)
class DecodeStep:
    """Describe one decoding step of all rows to every layer."""

    position: Tensor
    """0-based position of each row's sentence: [N]."""
    last: int
    """Largest position."""
    entry: Tensor
    """Cache entry that each row writes: [S, beam]."""
    mask: Tensor
    """True at the entries of each row's own past and present: [S, 1, beam, E]."""


class KeyValueCache:
    """Hold the keys and values of all rows of a sentence: [S, H, E, K] each."""

    def __init__(self, sentences: int, heads: int, d_head: int, like: Tensor) -> None:
        self.key = like.new_empty(sentences, heads, 0, d_head)
        self.value = self.key.clone()

    def add(self, key: Tensor, value: Tensor, step: DecodeStep) -> tuple[Tensor, Tensor]:
        """Write one position of every row, [S, beam, H, K]; return all entries so far."""
        entries = step.mask.size(-1)
        if self.key.size(2) < entries:
            self._grow(max(entries, 2 * self.key.size(2), FIRST_POSITIONS * step.entry.size(1)))
        sentences = torch.arange(len(step.entry), device=key.device)[:, None]
        self.key[sentences, :, step.entry] = key
        self.value[sentences, :, step.entry] = value
        return self.key[:, :, :entries], self.value[:, :, :entries]

    def _grow(self, entries: int) -> None:
        for name in ("key", "value"):
            old = getattr(self, name)
            new = old.new_zeros(*old.shape[:2], entries, old.size(3))
            new[:, :, : old.size(2)] = old
            setattr(self, name, new)

    def compact(self, entries: Tensor) -> None:
        """Replace entry e of sentence s by entries[s, e]: [S, E']."""
        sentences = torch.arange(len(entries), device=entries.device)[:, None]
        for tensor in (self.key, self.value):
            tensor[:, :, : entries.size(1)] = tensor[sentences, :, entries].transpose(1, 2)

    def keep(self, sentences: Tensor) -> None:
        """Keep only these sentences."""
        self.key, self.value = self.key[sentences], self.value[sentences]

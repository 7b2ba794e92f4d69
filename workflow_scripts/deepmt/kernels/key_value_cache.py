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
    sentence: Tensor
    """Numbers of the sentences: [S, 1]."""
    entry: Tensor
    """Cache entry that each row writes: [S, beam]."""
    mask: Tensor
    """True at the entries of each row's own past and present: [S, 1, beam, E]."""


class KeyValueCache:
    """Hold the keys and values of all rows of a sentence: [2, S, H, E, K]."""

    def __init__(self, sentences: int, heads: int, d_head: int, like: Tensor) -> None:
        self.keys_values = like.new_empty(2, sentences, heads, 0, d_head)

    @property
    def room(self) -> int:
        """Return the number of entries that fit without a copy."""
        return self.keys_values.size(3)

    def add(self, keys_values: Tensor, step: DecodeStep) -> tuple[Tensor, Tensor]:
        """Write key and value of every row, [S, beam, 2, H, K]; return all [S, H, E, K] so far."""
        entries = step.mask.size(-1)
        if self.room < entries:
            self._grow(max(entries, 2 * self.room, FIRST_POSITIONS * step.entry.size(1)))
        self.keys_values[:, step.sentence, :, step.entry] = keys_values
        key, value = self.keys_values[:, :, :, :entries]
        return key, value

    def _grow(self, entries: int) -> None:
        old = self.keys_values
        self.keys_values = old.new_zeros(*old.shape[:3], entries, old.size(4))
        self.keys_values[:, :, :, : old.size(3)] = old

    def compact(self, entries: Tensor) -> None:
        """Replace entry e of sentence s by entries[s, e]: [S, E']."""
        sentences = torch.arange(len(entries), device=entries.device)[:, None]
        for tensor in (self.keys_values[0], self.keys_values[1]):
            tensor[:, :, : entries.size(1)] = tensor[sentences, :, entries].transpose(1, 2)

    def keep(self, sentences: Tensor) -> None:
        """Keep only these sentences."""
        self.keys_values = self.keys_values[:, sentences]

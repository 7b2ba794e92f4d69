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
    """Hold the keys and values of all rows of a sentence: [S, E, 2, H, K]."""

    def __init__(self, sentences: int, heads: int, d_head: int, like: Tensor) -> None:
        self.entries = like.new_empty(sentences, 0, 2, heads, d_head)

    @property
    def room(self) -> int:
        """Return the number of entries that fit without a copy."""
        return self.entries.size(1)

    def add(self, new: Tensor, step: DecodeStep) -> Tensor:
        """Write key and value of every row, [S, beam, 2, H, K]; return all [S, room, 2, H, K]."""
        entries = step.mask.size(-1)
        if self.room < entries:
            self._grow(max(entries, 2 * self.room, FIRST_POSITIONS * step.entry.size(1)))
        self.entries[step.sentence, step.entry] = new
        return self.entries

    def _grow(self, entries: int) -> None:
        old, room = self.entries, self.room
        self.entries = old.new_empty(len(old), entries, *old.shape[2:])
        self.entries[:, :room] = old
        self.entries[:, room:] = 0  # a mask hides numbers, but not NaN

    def compact(self, entries: Tensor) -> None:
        """Replace entry e of sentence s by entries[s, e]: [S, E']."""
        sentences = torch.arange(len(entries), device=entries.device)[:, None]
        self.entries[:, : entries.size(1)] = self.entries[sentences, entries]

    def keep(self, sentences: Tensor) -> None:
        """Keep only these sentences."""
        self.entries = self.entries[sentences]

"""Track the ancestry of open hypotheses: the entries of the key-value cache that are their past."""

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels.key_value_cache import DecodeStep

STEPS_BETWEEN_COMPACTIONS = 8
WORTH_COMPACTING = 0.75
"""Entries are copied to close gaps only if at most this fraction of them is in use."""


class BeamAncestry:
    """Record the entries that each hypothesis and its ancestors wrote, one per position.

    Reordering hypotheses reorders only these numbers. Every few steps, entries without an open
    descendant, which are the majority, are dropped.
    """

    def __init__(self, sentences: int, beam: int, steps: int, device: torch.device) -> None:
        self.lengths = [0] * sentences
        """Steps taken by each sentence."""
        self.entry_counts = [0] * sentences
        """Entries written by each sentence and not dropped."""
        self.beam = torch.arange(beam, device=device)
        self.entries = torch.full((sentences, beam, steps), -1, device=device)
        """entries[s, b, p]: the entry at position p in the past of hypothesis b of sentence s."""
        self.steps_since_compaction = 0

    def begin_step(self) -> DecodeStep:
        """Assign each hypothesis an entry for the next position of its sentence."""
        device, beam, last = self.entries.device, len(self.beam), max(self.lengths)
        position = torch.tensor(self.lengths, device=device)
        entry = torch.tensor(self.entry_counts, device=device)[:, None] + self.beam
        self.entries[torch.arange(len(self.lengths), device=device), :, position] = entry
        self.entry_counts = [count + beam for count in self.entry_counts]
        return DecodeStep(
            position=position.repeat_interleave(beam),
            last=last,
            entry=entry,
            mask=named_entries(self.entries[:, :, : last + 1], max(self.entry_counts))[:, None],
        )

    def reorder(self, origin: Tensor) -> None:
        """End a step: hypothesis b of sentence s continues from hypothesis origin[s, b]."""
        past = slice(max(self.lengths) + 1)
        chosen = origin[:, :, None].expand(-1, -1, past.stop)
        self.entries[:, :, past] = self.entries[:, :, past].gather(1, chosen)
        self.lengths = [length + 1 for length in self.lengths]
        self.steps_since_compaction += 1

    def compaction(self) -> Tensor | None:
        """Return the entries to keep, in order [S, E'], or None if copying them does not pay."""
        if self.steps_since_compaction < STEPS_BETWEEN_COMPACTIONS:
            return None
        self.steps_since_compaction = 0
        own = self.entries.flatten(1)
        used = named_entries(own[:, None], max(self.entry_counts))[:, 0]
        counts = used.sum(1).tolist()
        if max(counts) > WORTH_COMPACTING * max(self.entry_counts):
            return None
        self.entry_counts = counts
        number = functional.pad(used.cumsum(1) - 1, (1, 0), value=-1)
        self.entries = number.gather(1, own + 1).view_as(self.entries)
        order = used.to(torch.uint8).argsort(dim=1, descending=True, stable=True)
        return order[:, : max(counts)]

    def rows(self, sentences: Tensor, origin: Tensor) -> Tensor:
        """Return the rows of hypotheses `origin` of these sentences: [S'], [S', beam] -> [N']."""
        return (sentences[:, None] * len(self.beam) + origin).flatten()

    def keep(self, sentences: list[int]) -> None:
        """Keep only these sentences."""
        self.entries = self.entries[sentences]
        self.lengths = [self.lengths[each] for each in sentences]
        self.entry_counts = [self.entry_counts[each] for each in sentences]

    def clear(self, sentences: list[int]) -> None:
        """Clear these sentences, so that the work of their unused rows does not grow."""
        self.entries[sentences] = -1
        for each in sentences:
            self.lengths[each] = self.entry_counts[each] = 0


def named_entries(entries: Tensor, count: int) -> Tensor:
    """Return a mask of the named entries, where -1 names none: [S, n, P] -> [S, n, count]."""
    marks = torch.zeros(*entries.shape[:2], count + 1, dtype=torch.bool, device=entries.device)
    return marks.scatter_(2, entries + 1, True)[:, :, 1:]

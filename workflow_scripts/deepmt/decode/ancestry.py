"""The ancestry of open hypotheses: which entries of the key-value cache are whose past."""

import torch
from torch import Tensor
from torch.nn import functional

from deepmt.kernels.key_value_cache import DecodeStep

STEPS_BETWEEN_COMPACTIONS = 8
WORTH_COMPACTING = 0.75
"""Entries are copied to close gaps only if at most this share of them is in use."""


class BeamAncestry:
    """The entries that each hypothesis and its ancestors wrote, one a position.

    Reordering hypotheses reorders these numbers alone. From time to time the entries from which no
    open hypothesis descends any more are dropped; most are.
    """

    def __init__(self, sentences: int, beam: int, steps: int, device: torch.device) -> None:
        self.ages = [0] * sentences
        """Steps taken by each sentence."""
        self.filled = [0] * sentences
        """Entries written by each sentence and not dropped."""
        self.beam = torch.arange(beam, device=device)
        self.entries = torch.full((sentences, beam, steps), -1, device=device)
        """entries[s, b, p]: the entry at p that hypothesis b of sentence s descends from."""
        self.steps_since_compaction = 0

    def begin_step(self) -> DecodeStep:
        """Give every hypothesis an entry for the next position of its sentence."""
        device, beam, last = self.entries.device, len(self.beam), max(self.ages)
        position = torch.tensor(self.ages, device=device)
        entry = torch.tensor(self.filled, device=device)[:, None] + self.beam
        self.entries[torch.arange(len(self.ages), device=device), :, position] = entry
        self.filled = [count + beam for count in self.filled]
        return DecodeStep(
            position=position.repeat_interleave(beam),
            last=last,
            entry=entry,
            mask=marked(self.entries[:, :, : last + 1], max(self.filled))[:, None],
        )

    def reorder(self, origin: Tensor) -> None:
        """End a step: hypothesis b of sentence s goes on from what origin[s, b] was."""
        past = slice(max(self.ages) + 1)
        chosen = origin[:, :, None].expand(-1, -1, past.stop)
        self.entries[:, :, past] = self.entries[:, :, past].gather(1, chosen)
        self.ages = [age + 1 for age in self.ages]
        self.steps_since_compaction += 1

    def compaction(self) -> Tensor | None:
        """Return the entries to keep, in order [S, E'], whenever it is worth copying them."""
        if self.steps_since_compaction < STEPS_BETWEEN_COMPACTIONS:
            return None
        self.steps_since_compaction = 0
        own = self.entries.flatten(1)
        used = marked(own[:, None], max(self.filled))[:, 0]
        counts = used.sum(1).tolist()
        if max(counts) > WORTH_COMPACTING * max(self.filled):
            return None
        self.filled = counts
        number = functional.pad(used.cumsum(1) - 1, (1, 0), value=-1)
        self.entries = number.gather(1, own + 1).view_as(self.entries)
        order = used.to(torch.uint8).argsort(dim=1, descending=True, stable=True)
        return order[:, : max(counts)]

    def rows(self, sentences: Tensor, origin: Tensor) -> Tensor:
        """Return the rows of hypotheses `origin` of these sentences: [S'], [S', beam] -> [N']."""
        return (sentences[:, None] * len(self.beam) + origin).flatten()

    def keep(self, sentences: list[int]) -> None:
        """Drop all other sentences."""
        self.entries = self.entries[sentences]
        self.ages = [self.ages[each] for each in sentences]
        self.filled = [self.filled[each] for each in sentences]

    def clear(self, sentences: list[int]) -> None:
        """Forget these sentences, so that what their rows go on computing does not grow."""
        self.entries[sentences] = -1
        for each in sentences:
            self.ages[each] = self.filled[each] = 0


def marked(entries: Tensor, count: int) -> Tensor:
    """Return true at the entries that are named, -1 naming none: [S, n, P] -> [S, n, count]."""
    marks = torch.zeros(*entries.shape[:2], count + 1, dtype=torch.bool, device=entries.device)
    return marks.scatter_(2, entries + 1, True)[:, :, 1:]

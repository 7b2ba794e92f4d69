"""Hold the state of a decoder between two steps: caches, and which of their entries are whose."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.kernels.key_value_cache import DecodeStep

STEPS_BETWEEN_COMPACTIONS = 8
WORTH_COMPACTING = 0.75
"""Entries are copied to close gaps only if at most this fraction of them is in use."""


class DecoderState:
    """Decode S sentences with `beam` open hypotheses each, N = S * beam rows.

    The state records the cache entries that each hypothesis and its ancestors wrote, one per
    position. Reordering hypotheses reorders only these numbers. Every few steps, entries without an
    open descendant, which are the majority, are dropped.
    """

    def __init__(self, model: nn.Module, encoded: Any, beam: int, steps: int) -> None:
        """Start decoding the output of `model.encode`; no sentence takes more than `steps`."""
        self.model = model
        self.caches = model.start(encoded, beam)
        count, device = len(self.caches.mask), self.caches.mask.device
        self.lengths = [0] * count
        """Steps taken by each sentence."""
        self.entry_counts = [0] * count
        """Entries written by each sentence and not dropped."""
        self.position = torch.zeros(count, dtype=torch.long, device=device)
        self.written = self.position.clone()
        """`lengths` and `entry_counts` on the device, which then need no copy in a step."""
        self.sentences = torch.arange(count, device=device)
        self.beam = torch.arange(beam, device=device)
        self.entries = torch.full((count, beam, steps), -1, device=device)
        """entries[s, b, p]: the entry at position p in the past of hypothesis b of sentence s."""
        self.steps_since_compaction = 0

    def step(self, tokens: Tensor) -> Tensor:
        """Return the next logits: last token of each hypothesis, EOS at first, [N] -> [N, V]."""
        return self.model.step(tokens, self._assign_entries(), self.caches)

    def _assign_entries(self) -> DecodeStep:
        """Assign each hypothesis an entry for the next position of its sentence."""
        beam, last = len(self.beam), max(self.lengths)
        entry = self.written[:, None] + self.beam
        self.entries[self.sentences, :, self.position] = entry
        self.written = self.written + beam
        self.entry_counts = [count + beam for count in self.entry_counts]
        return DecodeStep(
            position=self.position.repeat_interleave(beam),
            last=last,
            sentence=self.sentences[:, None],
            entry=entry,
            mask=named_entries(self.entries[:, :, : last + 1], max(self.entry_counts))[:, None],
        )

    def reorder(self, origin: Tensor) -> None:
        """End a step: hypothesis b of sentence s continues from hypothesis origin[s, b]."""
        past = slice(max(self.lengths) + 1)
        chosen = origin[:, :, None].expand(-1, -1, past.stop)
        self.entries[:, :, past] = self.entries[:, :, past].gather(1, chosen)
        self.position = self.position + 1
        self.lengths = [length + 1 for length in self.lengths]
        self.caches.reorder(self._rows(self.sentences, origin))
        self.steps_since_compaction += 1
        if self.steps_since_compaction == STEPS_BETWEEN_COMPACTIONS:
            self.steps_since_compaction = 0
            self._compact()

    def _compact(self) -> None:
        """Drop the entries without an open descendant, if copying the others pays."""
        own = self.entries.flatten(1)
        used = named_entries(own[:, None], max(self.entry_counts))[:, 0]
        written = used.sum(1)
        counts = written.tolist()
        if max(counts) > WORTH_COMPACTING * max(self.entry_counts):
            return
        self.written, self.entry_counts = written, counts
        number = functional.pad(used.cumsum(1) - 1, (1, 0), value=-1)
        self.entries = number.gather(1, own + 1).view_as(self.entries)
        order = used.to(torch.uint8).argsort(dim=1, descending=True, stable=True)
        self.caches.compact(order[:, : max(counts)])

    def _rows(self, sentences: Tensor, origin: Tensor) -> Tensor:
        """Return the rows of hypotheses `origin` of these sentences: [S'], [S', beam] -> [N']."""
        return (sentences[:, None] * len(self.beam) + origin).flatten()

    def keep(self, sentences: list[int]) -> None:
        """Keep only these sentences."""
        chosen = self.index(sentences)
        self.caches.keep(chosen, self._rows(chosen, self.beam))
        for name in ("entries", "position", "written"):
            setattr(self, name, getattr(self, name)[chosen])
        self.lengths = [self.lengths[each] for each in sentences]
        self.entry_counts = [self.entry_counts[each] for each in sentences]
        self.sentences = torch.arange(len(sentences), device=self.entries.device)

    def index(self, sentences: list[int]) -> Tensor:
        """Return numbers of sentences as a tensor on the device."""
        return torch.tensor(sentences, dtype=torch.long).to(self.entries.device)

    def clear(self, sentences: list[int], marks: Tensor) -> None:
        """Clear these sentences, so that the work of their unused rows does not grow.

        `marks` is true at the same sentences: [S].
        """
        self.entries.masked_fill_(marks[:, None, None], -1)
        self.position = self.position.masked_fill(marks, 0)
        self.written = self.written.masked_fill(marks, 0)
        for each in sentences:
            self.lengths[each] = self.entry_counts[each] = 0

    def put(self, sentences: list[int], new: "DecoderState") -> None:
        """Replace these sentences by those of `new`, which are at their first step."""
        chosen = self.index(sentences)
        self.caches.put(chosen, self._rows(chosen, self.beam), new.caches)
        marks = torch.zeros_like(self.position, dtype=torch.bool)
        self.clear(sentences, marks.index_fill_(0, chosen, True))


def named_entries(entries: Tensor, count: int) -> Tensor:
    """Return a mask of the named entries, where -1 names none: [S, n, P] -> [S, n, count]."""
    marks = torch.zeros(*entries.shape[:2], count + 1, dtype=torch.bool, device=entries.device)
    return marks.scatter_(2, entries + 1, True)[:, :, 1:]

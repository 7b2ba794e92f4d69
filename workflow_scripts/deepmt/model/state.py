"""Where a search stands: S sentences with `beam` open hypotheses each, N = S * beam rows.

Keys and values of a position are an entry of its sentence, which no change of places moves: every
row looks at all entries of its sentence, and its lineage says which of them are its own past. From
time to time the entries from which no open hypothesis descends any more are dropped; most are.
Only running sums and recurrent states follow their rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

FIRST_POSITIONS = 16
STEPS_BETWEEN_DROPS = 8
WORTH_DROPPING = 0.75
"""Entries are copied to close the gaps only if no more than this share of them is left."""
KeysValues = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Moment:
    """One step of all rows, as every layer sees it."""

    position: Tensor
    """0-based, of each row's sentence: [N]."""
    last: int
    """The largest of them."""
    entry: Tensor
    """Which entry of its sentence each row writes: [S, beam]."""
    own: Tensor
    """Which of all entries are a row's own past or present: [S, 1, beam, E]."""


class Running(dict[str, Tensor]):
    """Tensors [N, ...] that belong to a row: sums of average attention, states of an LSTM."""

    def follow(self, rows: Tensor) -> None:
        """Row n becomes what row rows[n] was."""
        for name, tensor in self.items():
            self[name] = tensor.index_select(0, rows)

    def put(self, rows: Tensor, fresh: "Running") -> None:
        """These rows become those of another search."""
        for name, tensor in self.items():
            self[name] = tensor.index_copy(0, rows, fresh[name])


class Entries:
    """Keys and values of all rows of a sentence: [S, H, E, K] each."""

    def __init__(self, sentences: int, heads: int, d_head: int, like: Tensor) -> None:
        self.key = like.new_empty(sentences, heads, 0, d_head)
        self.value = self.key.clone()

    def add(self, key: Tensor, value: Tensor, moment: Moment) -> KeysValues:
        """Write one position of every row, [S, beam, H, K]; return all entries so far."""
        entries = moment.own.size(-1)
        if self.key.size(2) < entries:
            self._grow(max(entries, 2 * self.key.size(2), FIRST_POSITIONS * moment.entry.size(1)))
        slots = torch.arange(len(moment.entry), device=key.device)[:, None]
        self.key[slots, :, moment.entry] = key
        self.value[slots, :, moment.entry] = value
        return self.key[:, :, :entries], self.value[:, :, :entries]

    def _grow(self, entries: int) -> None:
        for name in ("key", "value"):
            old = getattr(self, name)
            new = old.new_zeros(*old.shape[:2], entries, old.size(3))
            new[:, :, : old.size(2)] = old
            setattr(self, name, new)

    def select(self, entries: Tensor) -> None:
        """Entry e of sentence s becomes what entries[s, e] was: [S, E']."""
        slots = torch.arange(len(entries), device=entries.device)[:, None]
        for tensor in (self.key, self.value):
            tensor[:, :, : entries.size(1)] = tensor[slots, :, entries].transpose(1, 2)

    def keep(self, slots: Tensor) -> None:
        """Only these sentences go on."""
        self.key, self.value = self.key[slots], self.value[slots]


Cache = Entries | Running


class State:
    """Caches of every decoder layer, projected memories, and the lineage of every row."""

    def __init__(
        self,
        caches: Sequence[Cache],
        keys_values: Sequence[KeysValues],
        mask: Tensor,
        beam: int,
        steps: int,
    ) -> None:
        """`mask` [S, 1, 1, M] is true where the memories are real; no sentence takes more steps."""
        sentences, device = mask.size(0), mask.device
        self.caches = list(caches)
        self.keys_values = list(keys_values)
        self.mask = mask
        self.ages = [0] * sentences
        """How many steps each sentence has behind it."""
        self.filled = [0] * sentences
        """How many entries it has."""
        self.rows = torch.arange(beam, device=device)
        self.lineage = torch.full((sentences, beam, steps), -1, device=device)
        """lineage[s, b, p]: the entry that row b of sentence s, or its ancestor, wrote at p."""
        self.steps_since_drop = 0

    @property
    def running(self) -> list[Running]:
        """The caches whose rows must follow."""
        return [cache for cache in self.caches if isinstance(cache, Running)]

    def moment(self) -> Moment:
        """Begin a step: every row writes the next position of its sentence."""
        beam, last = len(self.rows), max(self.ages)
        position = torch.tensor(self.ages, device=self.mask.device)
        entry = torch.tensor(self.filled, device=self.mask.device)[:, None] + self.rows
        slots = torch.arange(len(self.ages), device=self.mask.device)
        self.lineage[slots, :, position] = entry
        self.filled = [count + beam for count in self.filled]
        return Moment(
            position=position.repeat_interleave(beam),
            last=last,
            entry=entry,
            own=marked(self.lineage[:, :, : last + 1], max(self.filled))[:, None],
        )

    def advance(self, origin: Tensor) -> None:
        """End a step: row b of sentence s goes on from what row origin[s, b] was."""
        past = slice(max(self.ages) + 1)
        chosen = origin[:, :, None].expand(-1, -1, past.stop)
        self.lineage[:, :, past] = self.lineage[:, :, past].gather(1, chosen)
        if self.running:
            rows = self._rows_of(torch.arange(len(origin), device=origin.device), origin)
            for cache in self.running:
                cache.follow(rows)
        self.ages = [age + 1 for age in self.ages]
        self.steps_since_drop += 1
        if self.steps_since_drop == STEPS_BETWEEN_DROPS:
            self._drop()

    def _drop(self) -> None:
        """Keep the entries that some row descends from, in their order, if many others go."""
        self.steps_since_drop = 0
        own = self.lineage.flatten(1)
        used = marked(own[:, None], max(self.filled))[:, 0]
        left = used.sum(1).tolist()
        if max(left) > WORTH_DROPPING * max(self.filled):
            return
        self.filled = left
        order = used.to(torch.uint8).argsort(dim=1, descending=True, stable=True)
        for cache in self.caches:
            if isinstance(cache, Entries):
                cache.select(order[:, : max(self.filled)])
        number = torch.nn.functional.pad(used.cumsum(1) - 1, (1, 0), value=-1)
        self.lineage = number.gather(1, own + 1).view_as(self.lineage)

    def _rows_of(self, slots: Tensor, origin: Tensor) -> Tensor:
        return (slots[:, None] * len(self.rows) + origin).flatten()

    def keep(self, slots: list[int]) -> None:
        """Only these sentences go on."""
        chosen = torch.tensor(slots, device=self.mask.device)
        for cache in self.caches:
            if isinstance(cache, Entries):
                cache.keep(chosen)
            else:
                cache.follow(self._rows_of(chosen, self.rows))
        self.keys_values = [(key[chosen], value[chosen]) for key, value in self.keys_values]
        self.mask, self.lineage = self.mask[chosen], self.lineage[chosen]
        self.ages = [self.ages[slot] for slot in slots]
        self.filled = [self.filled[slot] for slot in slots]

    def clear(self, slots: list[int]) -> None:
        """These sentences are finished: what their rows go on computing must not grow."""
        self.lineage[slots] = -1
        for slot in slots:
            self.ages[slot] = self.filled[slot] = 0

    def put(self, slots: list[int], fresh: "State") -> None:
        """Other sentences, which have just begun, take the places of these."""
        self._widen(fresh.mask.size(3))
        chosen, columns = torch.tensor(slots, device=self.mask.device), fresh.mask.size(3)
        for cache, new in zip(self.caches, fresh.caches, strict=True):
            if isinstance(cache, Running) and isinstance(new, Running):
                cache.put(self._rows_of(chosen, self.rows), new)
        for pair, new_pair in zip(self.keys_values, fresh.keys_values, strict=True):
            for old, new_tensor in zip(pair, new_pair, strict=True):
                old[chosen, :, :columns] = new_tensor
        self.mask[chosen] = False
        self.mask[chosen, :, :, :columns] = fresh.mask
        self.clear(slots)

    def _widen(self, columns: int) -> None:
        """Room for memories of so many positions."""
        more = columns - self.mask.size(3)
        if more > 0:
            self.mask = torch.nn.functional.pad(self.mask, (0, more))
            self.keys_values = [
                tuple(torch.nn.functional.pad(t, (0, 0, 0, more)) for t in pair)
                for pair in self.keys_values
            ]

    def narrow(self, columns: int) -> None:
        """Drop the positions of memories that no sentence uses any more."""
        if columns <= self.mask.size(3) * 3 // 4:
            self.mask = self.mask[..., :columns].contiguous()
            self.keys_values = [
                (key[:, :, :columns].contiguous(), value[:, :, :columns].contiguous())
                for key, value in self.keys_values
            ]


def marked(entries: Tensor, count: int) -> Tensor:
    """True at the entries that are named, -1 naming none: [S, n, P] -> [S, n, count]."""
    marks = torch.zeros(*entries.shape[:2], count + 1, dtype=torch.bool, device=entries.device)
    return marks.scatter_(2, entries + 1, True)[:, :, 1:]

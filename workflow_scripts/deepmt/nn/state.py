"""Where a search stands: S sentences with `beam` open hypotheses each, N = S * beam rows.

Keys and values of earlier positions are written once and never moved, however often hypotheses
change places: every row of a sentence may look at all entries of that sentence, and its lineage
says which of them are its own past. Only running sums and recurrent states follow their rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

FIRST_POSITIONS = 16
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
    """Which of the entries so far are a row's own past or present: [S, 1, beam, E]."""


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
    """Keys and values of all rows of a sentence, position by position: [S, H, E, K] each."""

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
        self.rows = torch.arange(beam, device=device)
        self.lineage = torch.full((sentences, beam, steps), -1, device=device)
        """lineage[s, b, p]: the row in which row b of sentence s, or its ancestor, wrote p."""

    @property
    def running(self) -> list[Running]:
        """The caches whose rows must follow."""
        return [cache for cache in self.caches if isinstance(cache, Running)]

    def moment(self) -> Moment:
        """Begin a step: every row writes the next position of its sentence."""
        beam, last = len(self.rows), max(self.ages)
        position = torch.tensor(self.ages, device=self.mask.device)
        slots = torch.arange(len(self.ages), device=self.mask.device)
        self.lineage[slots, :, position] = self.rows
        own = self.lineage[:, :, : last + 1, None] == self.rows
        return Moment(
            position=position.repeat_interleave(beam),
            last=last,
            entry=position[:, None] * beam + self.rows,
            own=own.flatten(2)[:, None],
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
        self.lineage[chosen] = -1
        for slot in slots:
            self.ages[slot] = 0

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

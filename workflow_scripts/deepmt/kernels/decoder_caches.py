"""Cache what a decoder keeps between steps, for sentences that join and leave the batch."""

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from deepmt.kernels.key_value_cache import KeyValueCache


class RowCache(dict[str, Tensor]):
    """Hold tensors [N, ...], one row per hypothesis: sums of average attention or LSTM states."""

    def reorder(self, rows: Tensor) -> None:
        """Replace row n by row rows[n]."""
        for name, tensor in self.items():
            self[name] = tensor.index_select(0, rows)

    def put(self, rows: Tensor, new: "RowCache") -> None:
        """Replace these rows by those of `new`."""
        for name, tensor in self.items():
            self[name] = tensor.index_copy(0, rows, new[name])


Cache = KeyValueCache | RowCache


@dataclass
class DecoderCaches:
    """Hold one cache per layer, and the keys and values of the encoder output."""

    layers: list[Cache]
    encoder_entries: list[Tensor]
    """[S, M, 2, H, K] each."""
    mask: Tensor
    """True at real source tokens: [S, 1, 1, M]."""

    def reorder(self, rows: Tensor) -> None:
        """Replace row n by row rows[n] in row caches; key-value entries stay in place."""
        for cache in self.layers:
            if isinstance(cache, RowCache):
                cache.reorder(rows)

    def compact(self, entries: Tensor) -> None:
        """Replace entry e of sentence s by entries[s, e]: [S, E']."""
        for cache in self.layers:
            if isinstance(cache, KeyValueCache):
                cache.compact(entries)

    def keep(self, sentences: Tensor, rows: Tensor) -> None:
        """Keep only these sentences."""
        for cache in self.layers:
            if isinstance(cache, KeyValueCache):
                cache.keep(sentences)
            else:
                cache.reorder(rows)
        self.encoder_entries = [entries[sentences] for entries in self.encoder_entries]
        self.mask = self.mask[sentences]

    def put(self, sentences: Tensor, rows: Tensor, new: "DecoderCaches") -> None:
        """Replace these sentences by those of `new`, which have no entries yet."""
        columns = new.mask.size(3)
        self._widen(columns)
        for cache, new_cache in zip(self.layers, new.layers, strict=True):
            if isinstance(cache, RowCache) and isinstance(new_cache, RowCache):
                cache.put(rows, new_cache)
        for entries, new_entries in zip(self.encoder_entries, new.encoder_entries, strict=True):
            entries[sentences, :columns] = new_entries
        self.mask[sentences] = False
        self.mask[sentences, :, :, :columns] = new.mask

    def _widen(self, columns: int) -> None:
        """Make room for encoder outputs of this length."""
        more = columns - self.mask.size(3)
        if more > 0:
            self.mask = functional.pad(self.mask, (0, more))
            room = (0, 0, 0, 0, 0, 0, 0, more)
            self.encoder_entries = [functional.pad(each, room) for each in self.encoder_entries]

    def narrow(self, columns: int) -> None:
        """Drop encoder positions beyond `columns` if that frees a quarter or more of them."""
        if columns <= self.mask.size(3) * 3 // 4:
            self.mask = self.mask[..., :columns].contiguous()
            self.encoder_entries = [each[:, :columns].contiguous() for each in self.encoder_entries]

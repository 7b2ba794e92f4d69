"""All that a decoder keeps from step to step, for sentences that come and go."""

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from deepmt.kernels.key_value_cache import KeyValueCache


class RowCache(dict[str, Tensor]):
    """Tensors [N, ...], one row a hypothesis: sums of average attention, states of an LSTM."""

    def reorder(self, rows: Tensor) -> None:
        """Let row n become what row rows[n] was."""
        for name, tensor in self.items():
            self[name] = tensor.index_select(0, rows)

    def put(self, rows: Tensor, new: "RowCache") -> None:
        """Replace these rows by those of `new`."""
        for name, tensor in self.items():
            self[name] = tensor.index_copy(0, rows, new[name])


Cache = KeyValueCache | RowCache


@dataclass
class DecoderCaches:
    """One cache a layer, and the keys and values of the encoder's output that layers attend."""

    layers: list[Cache]
    encoder_keys_values: list[tuple[Tensor, Tensor]]
    """[S, H, M, K] each."""
    mask: Tensor
    """True where the encoder's output is real: [S, 1, 1, M]."""

    def reorder(self, rows: Tensor) -> None:
        """Let row n become what row rows[n] was; entries stay in their places."""
        for cache in self.layers:
            if isinstance(cache, RowCache):
                cache.reorder(rows)

    def compact(self, entries: Tensor) -> None:
        """Let entry e of sentence s become what entries[s, e] was: [S, E']."""
        for cache in self.layers:
            if isinstance(cache, KeyValueCache):
                cache.compact(entries)

    def keep(self, sentences: Tensor, rows: Tensor) -> None:
        """Drop all other sentences."""
        for cache in self.layers:
            if isinstance(cache, KeyValueCache):
                cache.keep(sentences)
            else:
                cache.reorder(rows)
        self.encoder_keys_values = [
            (k[sentences], v[sentences]) for k, v in self.encoder_keys_values
        ]
        self.mask = self.mask[sentences]

    def put(self, sentences: Tensor, rows: Tensor, new: "DecoderCaches") -> None:
        """Replace these sentences by those of `new`, which have no entries yet."""
        columns = new.mask.size(3)
        self._widen(columns)
        for cache, new_cache in zip(self.layers, new.layers, strict=True):
            if isinstance(cache, RowCache) and isinstance(new_cache, RowCache):
                cache.put(rows, new_cache)
        for pair, new_pair in zip(self.encoder_keys_values, new.encoder_keys_values, strict=True):
            for tensor, new_tensor in zip(pair, new_pair, strict=True):
                tensor[sentences, :, :columns] = new_tensor
        self.mask[sentences] = False
        self.mask[sentences, :, :, :columns] = new.mask

    def _widen(self, columns: int) -> None:
        """Make room for encoder outputs of this length."""
        more = columns - self.mask.size(3)
        if more > 0:
            self.mask = functional.pad(self.mask, (0, more))
            self.encoder_keys_values = [
                (functional.pad(k, (0, 0, 0, more)), functional.pad(v, (0, 0, 0, more)))
                for k, v in self.encoder_keys_values
            ]

    def narrow(self, columns: int) -> None:
        """Drop the positions of encoder outputs beyond the longest one in use."""
        if columns <= self.mask.size(3) * 3 // 4:
            self.mask = self.mask[..., :columns].contiguous()
            self.encoder_keys_values = [
                (k[:, :, :columns].contiguous(), v[:, :, :columns].contiguous())
                for k, v in self.encoder_keys_values
            ]

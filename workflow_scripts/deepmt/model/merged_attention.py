"""Merged attention: the decoder's own branch and cross-attention in one sublayer."""

from torch import Tensor, nn

from deepmt.kernels.decoder_caches import Cache
from deepmt.kernels.key_value_cache import DecodeStep
from deepmt.model.attention import CrossAttention


class MergedAttention(nn.Module):
    """(branch(x) + context(x, memory)) W_o: MAtt of Zhang 2019, Eq. 17, when branch is SAAN.

    A branch that ends in an output projection of its own (softmax self-attention, Table 3 row 6)
    is added after W_o; AAN (row 7) and SAAN share W_o.
    """

    def __init__(self, branch: nn.Module, cross: CrossAttention) -> None:
        super().__init__()
        self.branch = branch
        self.cross = cross

    def _merge(self, own: Tensor, context: Tensor) -> Tensor:
        if self.branch.projected:
            return own + self.cross.out(context)
        return self.cross.out(own + context)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """[B, T, D], memory [B, S, D] -> [B, T, D]."""
        return self._merge(self.branch(x), self.cross.context(x, *self.cross.project(memory), mask))

    def step(
        self, x: Tensor, cache: Cache, step: DecodeStep, key: Tensor, value: Tensor, mask: Tensor
    ) -> Tensor:
        """[N, 1, D] -> [N, 1, D]."""
        return self._merge(
            self.branch.step(x, cache, step), self.cross.step_context(x, key, value, mask)
        )

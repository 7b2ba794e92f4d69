"""Transparent attention: the decoder attends a mix of all encoder layers."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.config.spec import Spec
from deepmt.kernels import layer_sums
from deepmt.kernels.fast_form import fast_form

DROPOUT = 0.1


@fast_form(layer_sums.weighted_sums)
def weighted_sums(weights: Tensor, layers: Tensor) -> Tensor:
    """weights @ layers: [..., N], [N, X] -> [..., X]."""
    return weights @ layers


class Transparent(nn.Module):
    """z_j = sum_k softmax(dropout(w_j))_k h^k (Bapna 2018, Eqs. 1-2); h^0 is the embedding.

    The logits are w + 1/(N+1) with w = 0 at the start, and dropout falls on that sum as in lingvo:
    without the constant it would have no effect on the first update. `final` (the end of a pre-norm
    stack; none in the paper's models) is applied to each mix.
    """

    def __init__(self, readers: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(readers, layers))
        self.dropout = dropout

    def logits(self) -> Tensor:
        """w + 1/(N+1): [readers, layers]."""
        return self.weight + 1 / self.weight.size(1)

    def shares(self) -> Tensor:
        """softmax weights: [readers, layers]."""
        return functional.dropout(self.logits(), self.dropout, self.training).softmax(-1)

    def layer_weights(self) -> list[list[float]]:
        """Return the shares of h^0..h^N by reader, without dropout; RNMT+ has no h^0."""
        return self.logits().softmax(-1).tolist()

    def forward(self, layers: list[Tensor], final: nn.Module) -> list[Tensor]:
        """h^0..h^N, each [B, S, D] -> one memory a reader."""
        mixes = weighted_sums(self.shares(), torch.stack(layers).flatten(1))
        return [final(z) for z in mixes.view(-1, *layers[0].shape)]


def encoder_output(spec: Spec, readers: int, layers: int) -> Transparent:
    """Return one mix a reader."""
    return Transparent(readers, layers, DROPOUT)

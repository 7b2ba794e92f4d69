"""Implement transparent attention: the decoder attends to weighted sums of encoder layers."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.kernels import layer_sums
from deepmt.kernels.fast_form import fast_form
from deepmt.settings.spec import Spec

DROPOUT = 0.1


@fast_form(layer_sums.weighted_sums)
def weighted_sums(weights: Tensor, layers: Tensor) -> Tensor:
    """Return weights @ layers: [..., N], [N, X] -> [..., X]."""
    return weights @ layers


class TransparentOutput(nn.Module):
    """Compute z_j = sum_k softmax(dropout(w_j))_k h^k (Bapna 2018, Eqs. 1-2).

    h^0 is the embedding. The logits are w + 1/(N+1) with w = 0 at the start; as in lingvo, dropout
    applies to that sum: without the constant it would not affect the first update. `final` (the
    final norm of a pre-norm stack; none in the paper's models) is applied to each z_j.
    """

    def __init__(self, outputs: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(outputs, layers))
        self.dropout = dropout

    def logits(self) -> Tensor:
        """Return w + 1/(N+1): [outputs, layers]."""
        return self.weight + 1 / self.weight.size(1)

    def softmax_weights(self) -> Tensor:
        """Return the softmax weights, with dropout: [outputs, layers]."""
        return functional.dropout(self.logits(), self.dropout, self.training).softmax(-1)

    def layer_weights(self) -> list[list[float]]:
        """Return the weights of h^0..h^N for each output, without dropout; RNMT+ has no h^0."""
        return self.logits().softmax(-1).tolist()

    def forward(self, layers: list[Tensor], final: nn.Module) -> list[Tensor]:
        """Return one output per decoder layer, [B, S, D] each, from h^0..h^N."""
        sums = weighted_sums(self.softmax_weights(), torch.stack(layers).flatten(1))
        return [final(z) for z in sums.view(-1, *layers[0].shape)]


def encoder_output(spec: Spec, outputs: int, layers: int) -> TransparentOutput:
    """Return transparent attention with this number of outputs."""
    return TransparentOutput(outputs, layers, DROPOUT)

"""Dynamic linear combination of layers (DLCL): a layer reads a learned sum of all earlier ones."""

from typing import Literal

import torch
from torch import Tensor, nn

from deepmt.config.spec import Spec, Stack
from deepmt.kernels.fast_form import fast_form
from deepmt.kernels.layer_sums import LayerSums
from deepmt.model.norm import NewNorm


class DynamicCombination(nn.Module):
    """x_{i+1} = after_i(sum_{k<=i} W_ik before_k(y_k)): Wang 2019, Eqs. 7-9; W_ik starts 1/(i+1).

    y_0 is the embedding, y_k the output of layer k. Pre-norm: before_k is a norm (one for each
    k >= 1; the released code leaves y_0 as it is, against Eq. 8). Post-norm: after_i is a norm (for
    i >= 1). The whole square matrix is stored, as in the released code; the part above the diagonal
    is never read.
    """

    def __init__(
        self,
        layers: int,
        weights: Literal["learned", "one", "average"],
        norms: str,
        norm: NewNorm,
    ) -> None:
        super().__init__()
        rows = torch.arange(1, layers + 2, dtype=torch.float)[:, None].expand(-1, layers + 1)
        start = torch.ones_like(rows) if weights == "one" else 1 / rows
        self.weight = nn.Parameter(start.tril(), requires_grad=weights == "learned")
        self.before = self._norms(layers, norm if norms == "before" else nn.Identity)
        self.after = self._norms(layers, norm if norms == "after" else nn.Identity)

    @staticmethod
    def _norms(layers: int, norm: NewNorm) -> nn.ModuleList:
        return nn.ModuleList([nn.Identity(), *(norm() for _ in range(layers))])

    def layer_weights(self) -> list[list[float]]:
        """Return the rows W_i0..W_ii (Wang 2019, Eqs. 8-9)."""
        return [row[: i + 1] for i, row in enumerate(self.weight.tolist())]

    def begin(self) -> "Combination":
        """Begin one pass through the stack."""
        return Combination(self)


class Combination:
    """The outputs of one pass through a stack, and their combination that the next layer reads."""

    def __init__(self, of: DynamicCombination) -> None:
        self.of = of
        self.sums = WeightedSums(of.weight)

    def store(self, y: Tensor) -> None:
        """Take y_k [B, T, D], normalised once for all its later readers."""
        self.sums.append(self.of.before[self.sums.count](y))

    def read(self) -> Tensor:
        """Return the input of the next layer, or, after the last one, of the stack's final norm."""
        return self.of.after[self.sums.count - 1](self.sums.last())


@fast_form(LayerSums)
class WeightedSums:
    """s_i = sum_{k<=i} W_ik v_k."""

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight
        self.values: list[Tensor] = []

    @property
    def count(self) -> int:
        """The number of values so far."""
        return len(self.values)

    def append(self, v: Tensor) -> None:
        """Take v_k."""
        self.values.append(v)

    def last(self) -> Tensor:
        """Return s_i of the newest row i."""
        row = self.weight[len(self.values) - 1]
        return sum(w * v for w, v in zip(row, self.values, strict=False))


def layer_aggregation(spec: Spec, size: Stack, norm: NewNorm) -> DynamicCombination:
    """Return DLCL over the outputs of one stack."""
    options = spec.method.layer_aggregation
    norms = "none"
    if options.norm:
        norms = "after" if spec.method.norm.name == "post" else "before"
    return DynamicCombination(size.layers, options.weights, norms, norm)

"""Implement DLCL, in which each layer reads a learned linear combination of all earlier ones."""

from typing import Literal

import torch
from torch import Tensor, nn

from deepmt.kernels.fast_form import fast_form
from deepmt.kernels.layer_sums import LayerSums
from deepmt.model.norm import NormFactory
from deepmt.settings.spec import Spec, Stack


class DynamicCombination(nn.Module):
    """Combine layers: x_{i+1} = after_i(sum_{k<=i} W_ik before_k(y_k)) (Wang 2019, Eqs. 7-9).

    y_0 is the embedding, y_k the output of layer k; W_ik starts at 1/(i+1). Pre-norm: before_k is
    a norm for each k >= 1 (unlike Eq. 8, the released code does not normalise y_0). Post-norm:
    after_i is a norm for i >= 1. As in the released code, the whole square matrix is stored; the
    part above the diagonal is never read.
    """

    def __init__(
        self,
        layers: int,
        weights: Literal["learned", "one", "average"],
        norms: str,
        norm: NormFactory,
    ) -> None:
        super().__init__()
        rows = torch.arange(1, layers + 2, dtype=torch.float)[:, None].expand(-1, layers + 1)
        start = torch.ones_like(rows) if weights == "one" else 1 / rows
        self.weight = nn.Parameter(start.tril(), requires_grad=weights == "learned")
        self.before = self._norms(layers, norm if norms == "before" else nn.Identity)
        self.after = self._norms(layers, norm if norms == "after" else nn.Identity)

    @staticmethod
    def _norms(layers: int, norm: NormFactory) -> nn.ModuleList:
        return nn.ModuleList([nn.Identity(), *(norm() for _ in range(layers))])

    def layer_weights(self) -> list[list[float]]:
        """Return the rows W_i0..W_ii (Wang 2019, Eqs. 8-9)."""
        return [row[: i + 1] for i, row in enumerate(self.weight.tolist())]

    def begin(self) -> "LayerHistory":
        """Start one pass through the stack."""
        return LayerHistory(self)


class LayerHistory:
    """Hold the layer outputs of one pass through a stack and combine them for the next layer."""

    def __init__(self, combination: DynamicCombination) -> None:
        self.combination = combination
        self.sums = WeightedSums(combination.weight)

    def store(self, y: Tensor) -> None:
        """Add y_k [B, T, D], normalised once for all later layers."""
        self.sums.append(self.combination.before[self.sums.count](y))

    def read(self) -> Tensor:
        """Return the input of the next layer or, after the last layer, of the final norm."""
        return self.combination.after[self.sums.count - 1](self.sums.last())


@fast_form(LayerSums)
class WeightedSums:
    """Compute s_i = sum_{k<=i} W_ik v_k."""

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight
        self.values: list[Tensor] = []

    @property
    def count(self) -> int:
        """Return the number of values so far."""
        return len(self.values)

    def append(self, v: Tensor) -> None:
        """Add v_k."""
        self.values.append(v)

    def last(self) -> Tensor:
        """Return s_i of the newest row i."""
        row = self.weight[len(self.values) - 1]
        return sum(w * v for w, v in zip(row, self.values, strict=False))


def layer_aggregation(spec: Spec, size: Stack, norm: NormFactory) -> DynamicCombination:
    """Return DLCL for one stack."""
    options = spec.method.layer_aggregation
    norms = "none"
    if options.norm:
        norms = "after" if spec.method.norm.name == "post" else "before"
    return DynamicCombination(size.layers, options.weights, norms, norm)

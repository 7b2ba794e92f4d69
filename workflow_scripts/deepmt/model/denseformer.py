"""Implement DenseFormer, DLCL without norms and from another start (Pagliardini 2024)."""

from torch import Tensor, nn

from deepmt.model.dlcl import DynamicCombination, LayerHistory
from deepmt.model.norm import NormFactory
from deepmt.settings.spec import Spec, Stack


class DepthWeightedAverage(DynamicCombination):
    """Compute x_1 = y_0 and x_{i+1} = sum_{k<=i} W_ik y_k.

    y_0 is the embedding, y_k the output of layer k. W starts as the identity matrix, so that each
    layer reads the one below; W_00 is never read.
    """

    def __init__(self, layers: int) -> None:
        super().__init__(layers, "learned", "none", nn.Identity)
        nn.init.eye_(self.weight)

    def begin(self) -> "LayerHistory":
        """Start one pass through the stack."""
        return DenseHistory(self)


class DenseHistory(LayerHistory):
    """Hold the layer outputs of one pass, and the embedding as it is."""

    def store(self, y: Tensor) -> None:
        """Add y_k [B, T, D]."""
        self.latest = y
        super().store(y)

    def read(self) -> Tensor:
        """Return the input of the next layer or, after the last layer, of the final norm."""
        return super().read() if self.sums.count > 1 else self.latest


def layer_aggregation(spec: Spec, size: Stack, norm: NormFactory) -> DepthWeightedAverage:
    """Return DenseFormer's averages of one stack."""
    return DepthWeightedAverage(size.layers)

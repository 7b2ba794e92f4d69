"""Each layer reads the output of the one below."""

from torch import Tensor, nn

from deepmt.config.spec import Spec, Stack
from deepmt.model.norm import NewNorm


class Previous(nn.Module):
    """x_{l+1} = y_l: the ordinary stack; `final` is the norm that ends it."""

    def __init__(self, final: nn.Module) -> None:
        super().__init__()
        self.final = final

    def begin(self) -> "Latest":
        """The history of one pass through the stack."""
        return Latest()


class Latest:
    """Remembers the last y alone."""

    def store(self, y: Tensor) -> None:
        """Take y_l [B, T, D]."""
        self.y = y

    def read(self) -> Tensor:
        """The input of the next layer."""
        return self.y


def layer_aggregation(spec: Spec, size: Stack, norm: NewNorm, final: nn.Module) -> Previous:
    """Return the plain stack."""
    return Previous(final)

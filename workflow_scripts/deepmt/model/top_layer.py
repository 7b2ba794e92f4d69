"""The decoder attends the top of the encoder."""

from torch import Tensor, nn

from deepmt.config.spec import Spec


class Top(nn.Module):
    """Every reader attends the output of the last layer."""

    def __init__(self, readers: int) -> None:
        super().__init__()
        self.readers = readers

    def forward(self, layers: list[Tensor], final: nn.Module) -> list[Tensor]:
        """h^0..h^N, each [B, S, D] -> one memory a reader."""
        return [final(layers[-1])] * self.readers


def encoder_output(spec: Spec, readers: int, layers: int) -> Top:
    """Return one reader a decoder layer."""
    return Top(readers)

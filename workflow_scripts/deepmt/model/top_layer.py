"""Let the decoder attend to the top encoder layer."""

from torch import Tensor, nn

from deepmt.settings.spec import Spec


class TopLayerOutput(nn.Module):
    """Return the output of the last encoder layer to every decoder layer."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.outputs = outputs

    def forward(self, layers: list[Tensor], final: nn.Module) -> list[Tensor]:
        """Return one output per decoder layer, [B, S, D] each, from h^0..h^N."""
        return [final(layers[-1])] * self.outputs


def encoder_output(spec: Spec, outputs: int, layers: int) -> TopLayerOutput:
    """Return the encoder output of a plain Transformer."""
    return TopLayerOutput(outputs)

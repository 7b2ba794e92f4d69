"""Define the Transformer of Vaswani 2017, the default of every choice."""

from typing import ClassVar, Literal

from deepmt.settings.methods import Options, option_of


@option_of("family", module="deepmt.model.build_transformer")
class TransformerFamily(Options):
    """Build an encoder and a decoder from attention and feed-forward sublayers."""

    initialisation: ClassVar = ""
    name: Literal["transformer"] = "transformer"


@option_of("norm", module="deepmt.model.norm")
class PostNorm(Options):
    """Apply layer normalisation after each residual connection."""

    name: Literal["post"] = "post"


@option_of("norm", module="deepmt.model.norm")
class NoNorm(Options):
    """Apply no layer normalisation at all."""

    name: Literal["none"] = "none"


@option_of("residual", module="deepmt.model.residual")
class IdentityResidual(Options):
    """Add a sublayer's input unchanged to its output."""

    name: Literal["identity"] = "identity"


@option_of("layer_aggregation", module="deepmt.model.previous_layer")
class PreviousLayer(Options):
    """Feed each layer the output of the one below."""

    name: Literal["previous"] = "previous"


@option_of("encoder_output", module="deepmt.model.top_layer")
class TopLayer(Options):
    """Let the decoder attend to the top layer of the encoder."""

    name: Literal["top"] = "top"


@option_of("decoder_self_attention", module="deepmt.model.attention")
class SoftmaxAttention(Options):
    """Use softmax attention as the decoder's self-attention."""

    matrices: ClassVar = 4
    """Square matrices that a position is multiplied with."""
    borrowed: ClassVar = 0
    """Those of them that are the cross-attention's."""
    weighs: ClassVar = True
    """Computes a weight for each pair of positions, and keeps it."""
    name: Literal["softmax"] = "softmax"


@option_of("decoder_layer", module="deepmt.model.stacked_layer")
class StackedLayer(Options):
    """Stack cross-attention on self-attention in each decoder layer."""

    sublayers: ClassVar = 3
    name: Literal["stacked"] = "stacked"


@option_of("initialisation", module="deepmt.init.glorot")
class Glorot(Options):
    """Draw matrices uniformly with the variance of Glorot 2010."""

    named: ClassVar = False
    name: Literal["glorot"] = "glorot"
    feed_forward: Literal["glorot", "torch"] = "glorot"
    """torch: weights and biases uniform in +-1/sqrt(fan-in), nn.Linear's own (fairseq 0.12.2)."""
    embeddings: Literal["normal", "glorot"] = "normal"
    """Normal with deviation D^-0.5, or uniform in +-sqrt(6 / (V + D)) (joeynmt, sockeye)."""

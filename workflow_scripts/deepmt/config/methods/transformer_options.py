"""Define the Transformer of Vaswani 2017, the default of every choice."""

from typing import ClassVar, Literal

from pydantic.dataclasses import dataclass

from deepmt.config.methods import Options
from deepmt.config.strict import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TransformerFamily(Options):
    """Build an encoder and a decoder from attention and feed-forward sublayers."""

    choice: ClassVar = "family"
    module: ClassVar = "deepmt.model.build_transformer"
    initialisation: ClassVar = ""
    name: Literal["transformer"] = "transformer"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PostNorm(Options):
    """Apply layer normalisation after each residual connection."""

    choice: ClassVar = "norm"
    module: ClassVar = "deepmt.model.norm"
    name: Literal["post"] = "post"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class IdentityResidual(Options):
    """Add a sublayer's input unchanged to its output."""

    choice: ClassVar = "residual"
    module: ClassVar = "deepmt.model.residual"
    name: Literal["identity"] = "identity"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PreviousLayer(Options):
    """Feed each layer the output of the one below."""

    choice: ClassVar = "layer_aggregation"
    module: ClassVar = "deepmt.model.previous_layer"
    name: Literal["previous"] = "previous"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TopLayer(Options):
    """Let the decoder attend to the top layer of the encoder."""

    choice: ClassVar = "encoder_output"
    module: ClassVar = "deepmt.model.top_layer"
    name: Literal["top"] = "top"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SoftmaxAttention(Options):
    """Use softmax attention as the decoder's self-attention."""

    choice: ClassVar = "decoder_self_attention"
    module: ClassVar = "deepmt.model.attention"
    name: Literal["softmax"] = "softmax"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class StackedLayer(Options):
    """Stack cross-attention on self-attention in each decoder layer."""

    choice: ClassVar = "decoder_layer"
    module: ClassVar = "deepmt.model.stacked_layer"
    name: Literal["stacked"] = "stacked"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Glorot(Options):
    """Draw matrices uniformly with the variance of Glorot 2010."""

    choice: ClassVar = "initialisation"
    module: ClassVar = "deepmt.init.glorot"
    name: Literal["glorot"] = "glorot"

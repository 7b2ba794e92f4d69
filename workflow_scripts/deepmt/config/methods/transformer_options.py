"""The Transformer of Vaswani 2017: what a system is where nothing else is said."""

from typing import ClassVar, Literal

from pydantic.dataclasses import dataclass

from deepmt.config.methods import Options
from deepmt.config.strict import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TransformerFamily(Options):
    """An encoder and a decoder of attention and feed-forward sublayers."""

    choice: ClassVar = "family"
    module: ClassVar = "deepmt.model.build_transformer"
    initialisation: ClassVar = ""
    name: Literal["transformer"] = "transformer"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PostNorm(Options):
    """Layer normalisation after each residual connection."""

    choice: ClassVar = "norm"
    module: ClassVar = "deepmt.model.norm"
    name: Literal["post"] = "post"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class IdentityResidual(Options):
    """The residual connection adds a sublayer's input as it is."""

    choice: ClassVar = "residual"
    module: ClassVar = "deepmt.model.residual"
    name: Literal["identity"] = "identity"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class PreviousLayer(Options):
    """Each layer reads the output of the one below."""

    choice: ClassVar = "layer_aggregation"
    module: ClassVar = "deepmt.model.previous_layer"
    name: Literal["previous"] = "previous"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TopLayer(Options):
    """The decoder attends the top of the encoder."""

    choice: ClassVar = "encoder_output"
    module: ClassVar = "deepmt.model.top_layer"
    name: Literal["top"] = "top"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class SoftmaxAttention(Options):
    """The decoder's self-attention is softmax attention."""

    choice: ClassVar = "decoder_self_attention"
    module: ClassVar = "deepmt.model.attention"
    name: Literal["softmax"] = "softmax"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class StackedLayer(Options):
    """A decoder layer has self-attention, then cross-attention."""

    choice: ClassVar = "decoder_layer"
    module: ClassVar = "deepmt.model.stacked_layer"
    name: Literal["stacked"] = "stacked"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Glorot(Options):
    """Matrices uniform with the variance of Glorot 2010."""

    choice: ClassVar = "initialisation"
    module: ClassVar = "deepmt.init.glorot"
    name: Literal["glorot"] = "glorot"

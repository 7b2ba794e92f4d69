"""Build RNMT+ (Bapna 2018)."""

from torch import nn

from deepmt.model import rnmt_plus as recurrent
from deepmt.model.additive_attention import AdditiveAttention
from deepmt.model.build import implementation
from deepmt.model.dropout import Dropout
from deepmt.model.linear import Linear
from deepmt.model.lstm import Lstm
from deepmt.model.residual import NoResidual, PlainResidual
from deepmt.settings.spec import Spec


def family(spec: Spec, source_vocabulary: int, target_vocabulary: int) -> nn.Module:
    """Build RNMT+ (Bapna 2018): one encoder output for all decoder layers, no tied embeddings."""
    width = spec.encoder.d_model
    return recurrent.RnmtPlus(
        recurrent.RecurrentEncoder(bidirectional_layers(spec), Linear(2 * width, width)),
        recurrent.RecurrentDecoder(attending_layer(spec), recurrent_layers(spec)),
        implementation(spec, "encoder_output")(spec, 1, spec.encoder.layers),
        plain_embedding(spec, source_vocabulary, width),
        plain_embedding(spec, target_vocabulary, spec.decoder.d_model),
        Linear(2 * spec.decoder.d_model, target_vocabulary, bias=spec.model.softmax_bias),
    )


def plain_embedding(spec: Spec, vocabulary: int, width: int) -> nn.Module:
    """Return an embedding without scaling or positions."""
    return nn.Sequential(nn.Embedding(vocabulary, width), Dropout(spec.training.embedding_dropout))


def lstm_residual(layer: int, *, residual: bool = True) -> nn.Module:
    """Return the residual connection of a layer, counted from 1; the first two have none."""
    return PlainResidual() if residual and layer > 2 else NoResidual()


def bidirectional_layers(spec: Spec) -> list[recurrent.RecurrentEncoderLayer]:
    """Return the encoder layers of RNMT+."""
    width, epsilon = spec.encoder.d_model, spec.model.norm_epsilon
    return [
        recurrent.RecurrentEncoderLayer(
            Lstm(width if layer == 1 else 2 * width, width, epsilon, directions=2),
            lstm_residual(layer, residual=spec.method.encoder_residual),
            spec.training.dropout,
        )
        for layer in range(1, spec.encoder.layers + 1)
    ]


def attending_layer(spec: Spec) -> recurrent.AttendingLayer:
    """Return the first decoder layer of RNMT+, which feeds its context back."""
    width = spec.decoder.d_model
    return recurrent.AttendingLayer(
        Lstm(width, width, spec.model.norm_epsilon, d_fed=width),
        AdditiveAttention(
            width, spec.encoder.d_model, spec.decoder.heads, spec.training.attention_dropout
        ),
    )


def recurrent_layers(spec: Spec) -> list[recurrent.RecurrentDecoderLayer]:
    """Return the other decoder layers of RNMT+."""
    width = spec.decoder.d_model
    return [
        recurrent.RecurrentDecoderLayer(
            Lstm(2 * width, width, spec.model.norm_epsilon),
            lstm_residual(layer),
            spec.training.dropout,
        )
        for layer in range(2, spec.decoder.layers + 1)
    ]

"""Define RNMT+ and transparent attention (Bapna 2018)."""

from typing import TYPE_CHECKING, ClassVar, Literal

from deepmt.settings.methods import Options, option_of

if TYPE_CHECKING:
    from deepmt.settings.spec import Spec


@option_of("family", module="deepmt.model.build_rnmt_plus")
class RnmtPlusFamily(Options):
    """Build a recurrent encoder and decoder with their own initialisation."""

    initialisation: ClassVar = "deepmt.init.uniform"
    name: Literal["rnmt+"] = "rnmt+"

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return the rules of a recurrent model."""
        model, chosen = spec.model, spec.method.non_defaults().keys()
        transformer_only = (
            model.start, model.input_bias, model.query_scale, model.first_position,
            model.cross_fan, model.attention_biases, model.padding_embedding,
        )  # fmt: skip
        return {
            "method.family=rnmt+ takes only encoder_output of the Transformer's choices: leave out "
            "norm, residual, layer_aggregation, decoder_self_attention, decoder_layer and "
            "initialisation": not chosen <= {"family", "encoder_output", "encoder_residual"},
            "method.family=rnmt+ needs model.tie=none: its softmax is two embeddings wide": (
                model.tie != "none"
            ),
            "method.family=rnmt+ has no model.start, input_bias, query_scale, first_position, "
            "cross_fan, attention_biases or padding_embedding: leave them at their defaults": (
                transformer_only != ("eos", False, "fixed", 0, "separate", "zero", "drawn")
            ),
        }


@option_of("encoder_output", module="deepmt.model.transparent")
class TransparentAttention(Options):
    """Let the decoder attend to a learned mix of all encoder layers (Eqs. 1-2)."""

    name: Literal["transparent"] = "transparent"

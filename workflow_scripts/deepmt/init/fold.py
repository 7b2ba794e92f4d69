"""Convert an ADMIN model into a plain post-norm Transformer (Liu 2020, section 3)."""

import copy
from itertools import pairwise

import torch
from torch import Tensor, nn

from deepmt.errors import UserError
from deepmt.model.attention import CrossAttention, SelfAttention
from deepmt.model.average_attention import AverageAttention
from deepmt.model.dlcl import DynamicCombination
from deepmt.model.feed_forward import FeedForward
from deepmt.model.merged_attention import MergedAttention
from deepmt.model.omega import Omega
from deepmt.model.residual import PlainResidual
from deepmt.model.sublayer import Sublayer
from deepmt.model.transparent import TransparentOutput


def fold(model: nn.Module) -> nn.Module:
    """Copy an ADMIN model without omegas, except for the first of each stack if it is not 1.

    x_i = LN_i(omega_i x_{i-1} + f_i(x_{i-1})). For i >= 2, gain and bias of the norm below,
    LN_{i-1}, are multiplied by omega_i, so that its output is omega_i x_{i-1}, and the matrices of
    f_i are divided by omega_i. The first omega has no norm below it, only the embedding, whose
    table may be shared: it stays unless all its entries are 1, as before training. The paper
    claims that the trained model is a plain one; no released code makes use of it.

    Raises:
        ValueError: an omega has a zero, or not only the layer above reads a state (DLCL,
            transparent attention), or a sublayer reads it other than through matrices (AAN).
    """
    if isinstance(model.encoder_output, TransparentOutput):
        raise UserError("fold: encoder_output=transparent reads a state more than once: set top")
    model = copy.deepcopy(model)
    for name in ("encoder", "decoder"):
        stack = getattr(model, name)
        if isinstance(stack.aggregation, DynamicCombination):
            raise UserError(
                "fold: layer_aggregation=dlcl reads a state more than once: set previous"
            )
        fold_stack_([s for s in stack.modules() if isinstance(s, Sublayer)])
    return model


@torch.no_grad()
def fold_stack_(sublayers: list[Sublayer]) -> None:
    """Fold the omegas of one stack's sublayers, listed from the lowest to the highest."""
    if not all(isinstance(sublayer.residual, Omega) for sublayer in sublayers):
        raise UserError("fold: the model has no omegas: set residual=omega")
    for below, sublayer in pairwise(sublayers):
        omega = sublayer.residual.omega
        if not omega.abs().min() > 0:
            raise UserError("fold: an omega is 0: its sublayer cannot be divided by it")
        for weight in input_matrices(sublayer.f):
            weight.div_(omega)
        below.after.weight.mul_(omega)
        below.after.bias.mul_(omega)
    for sublayer in sublayers[1:]:
        sublayer.residual = PlainResidual()
    if bool((sublayers[0].residual.omega == 1).all()):
        sublayers[0].residual = PlainResidual()


def input_matrices(f: nn.Module) -> list[Tensor]:
    """Return the matrices [out, D] that a sublayer's function multiplies with its input.

    Raises:
        ValueError: the function uses its input without them, too.
    """
    if isinstance(f, FeedForward):
        return [f.inner.weight]
    if isinstance(f, SelfAttention):
        return [f.query_key_value.weight]
    if isinstance(f, CrossAttention):
        return [f.query.weight]
    if isinstance(f, MergedAttention) and isinstance(f.self_attention, SelfAttention):
        return [*input_matrices(f.self_attention), f.cross.query.weight]
    kind = "decoder_self_attention=aan" if isinstance(f, AverageAttention) else type(f).__name__
    raise UserError(f"fold: {kind} uses its input directly, or with shared matrices")

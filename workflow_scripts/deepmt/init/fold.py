"""Convert an ADMIN model into a plain post-norm Transformer (Liu 2020, section 3)."""

import copy
from itertools import pairwise

import torch
from torch import Tensor, nn

from deepmt.base.errors import UserError
from deepmt.model.attention import CrossAttention
from deepmt.model.feed_forward import FeedForward
from deepmt.model.merged_attention import MergedAttention
from deepmt.model.residual import PlainResidual
from deepmt.model.sublayer import Sublayer


def fold(model: nn.Module) -> nn.Module:
    """Copy an ADMIN model without omegas, except for the first of each stack if it is not 1.

    x_i = LN_i(omega_i x_{i-1} + f_i(x_{i-1})). For i >= 2, gain and bias of the norm below,
    LN_{i-1}, are multiplied by omega_i, so that its output is omega_i x_{i-1}, and the matrices of
    f_i are divided by omega_i. The first omega has no norm below it, only the embedding, whose
    table may be shared: it stays unless all its entries are 1, as before training. The paper
    claims that the trained model is a plain one; no released code makes use of it.

    Only the layer above may read a state, unlike in DLCL, and through matrices alone, unlike in
    AAN: `unsupported_settings` refuses such models before.

    Raises:
        ValueError: an omega has a zero.
    """
    model = copy.deepcopy(model)
    for name in ("encoder", "decoder"):
        stack = getattr(model, name)
        fold_stack_([s for s in stack.modules() if isinstance(s, Sublayer)])
    return model


@torch.no_grad()
def fold_stack_(sublayers: list[Sublayer]) -> None:
    """Fold the omegas of one stack's sublayers, listed from the lowest to the highest."""
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
    """Return the matrices [out, D] that a sublayer's function multiplies with its input."""
    if isinstance(f, FeedForward):
        return [f.inner.weight]
    if isinstance(f, CrossAttention):
        return [f.query.weight]
    if isinstance(f, MergedAttention):
        return [*input_matrices(f.self_attention), f.cross.query.weight]
    return [f.query_key_value.weight]

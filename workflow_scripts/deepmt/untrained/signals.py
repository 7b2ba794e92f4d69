"""Measure how each sublayer changes the error signal, and the variance of its sum.

A sublayer is o = LN(r), r = RC(z, f(z)) (Zhang 2019, Eqs. 10-11); delta_x is the gradient of the
loss with respect to x. Eq. 14: beta = beta_LN * beta_RC, beta_LN = |delta_r| / |delta_o|,
beta_RC = |delta_z| / |delta_r|. Where no norm follows the sum (pre-norm), r = o.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from deepmt.model.sublayer import Sublayer

KINDS = {
    "attention": "self",
    "self_attention": "self",
    "cross": "cross",
    "merged": "merged",
    "feed_forward": "ffn",
}
"""The name of a sublayer in its layer -> its column in Table 1."""
Norm = Callable[[Tensor], Tensor]


def summed(gradient: Tensor) -> Tensor:
    """Return |sum over positions of delta| for delta [positions, D].

    Eqs. 12-14 write delta as one vector of length d. The printed ratios are only reproduced if it
    is the delta of a batch, summed over its positions.
    """
    return gradient.sum(0).norm()


def by_position(gradient: Tensor) -> Tensor:
    """Return the norm over all positions, the signal that the network propagates."""
    return gradient.norm()


class SublayerRecorder:
    """Keep four tensors of one sublayer, with their gradients, from one forward pass."""

    def __init__(self, stack: str, layer: int, kind: str, sublayer: Sublayer) -> None:
        self.place: dict[str, Any] = {"stack": stack, "layer": layer, "sublayer": kind}
        self.tensors: dict[str, Tensor] = {}
        sublayer.entry.register_forward_hook(self._keep("z", "entered"))
        sublayer.after.register_forward_hook(self._keep("r", "o"))

    def _keep(self, before: str, after: str) -> Callable[[Any, Any, Tensor], None]:
        def hook(module: nn.Module, inputs: tuple[Tensor], output: Tensor) -> None:
            for name, tensor in ((before, inputs[0]), (after, output)):
                tensor.retain_grad()
                self.tensors[name] = tensor

        return hook

    def ratios(self, mask: Tensor, norm: Norm) -> dict[str, float]:
        """Return Eq. 14 after the backward pass; `mask` [B, T] is False at padding.

        beta_ln also covers a norm before the residual (lingvo).
        """
        z, entered, r, o = (
            float(norm(self.tensors[name].grad[mask])) for name in ("z", "entered", "r", "o")
        )
        return {"beta_ln": (r / o) * (z / entered), "beta_rc": entered / r, "beta": z / o}

    def variance(self, mask: Tensor) -> float:
        """Return Var(r) over the channels, averaged over positions."""
        return float(self.tensors["r"].detach()[mask].var(-1, correction=0).mean())


def record_sublayers(model: nn.Module) -> list[SublayerRecorder]:
    """Attach a recorder to every sublayer of both stacks, from bottom to top."""
    return [
        SublayerRecorder(stack, number, KINDS[name], sublayer)
        for stack in ("encoder", "decoder")
        for number, layer in enumerate(getattr(model, stack).layers, start=1)
        for name, sublayer in layer.named_children()
        if isinstance(sublayer, Sublayer)
    ]

"""Implement Hyper-Connections with identity mixing (Zhu 2024, arXiv 2409.19606)."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from deepmt.model.norm import NormFactory, NormScheme, Placement, placement
from deepmt.model.sublayer_index import SublayerIndex
from deepmt.settings.spec import Spec

COPIES = 4


def split(x: Tensor) -> Tensor:
    """Return the copies of a state: [B, T, n D] -> [B, T, n, D]."""
    return x.unflatten(-1, (COPIES, -1))


class Gates(nn.Module):
    """Compute c_j + s tanh(w . RMSNorm(h_j)) for each copy h_j; at first s = 0.01 and w = 0."""

    def __init__(self, start: Tensor, d_model: int, epsilon: float) -> None:
        super().__init__()
        self.constant = nn.Parameter(start)
        self.weight = nn.Parameter(torch.zeros(d_model))
        self.scale = nn.Parameter(torch.tensor(0.01))
        self.epsilon = epsilon

    def weights(self, copies: Tensor) -> Tensor:
        """Return a weight for each copy: [B, T, n, D] -> [B, T, n, 1]."""
        key = functional.rms_norm(copies, copies.shape[-1:], eps=self.epsilon)
        moved = functional.linear(key, self.weight[None]).tanh()
        return (self.constant[:, None] + self.scale * moved).to(copies.dtype)


class Copy(nn.Module):
    """Begin with n equal copies."""

    def forward(self, x: Tensor) -> Tensor:
        """Repeat the embedding: [B, T, D] -> [B, T, n D]."""
        return torch.cat(COPIES * [x], -1)


class Read(Gates):
    """Compute sum_j a_j h_j, a_j by gates."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the input of a sublayer: [B, T, n D] -> [B, T, D]."""
        copies = split(x)
        return (self.weights(copies) * copies).sum(-2)


class Write(Gates):
    """Compute h_j + b_j F(.), b_j by gates."""

    def forward(self, x: Tensor, update: Tensor) -> Tensor:
        """Add an update to all copies: [B, T, n D], [B, T, D] -> [B, T, n D]."""
        copies = split(x)
        return (copies + self.weights(copies) * update.unsqueeze(-2)).flatten(-2)


class Join(nn.Module):
    """End with the sum of the copies."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the output of the stack: [B, T, n D] -> [B, T, D]."""
        return split(x).sum(-2)


def norm(spec: Spec) -> NormScheme:
    """Return the norm scheme: that of pre-norm, around readers."""

    def place(new: NormFactory, index: SublayerIndex) -> Placement:
        """Place the reader of sublayer k, at first of copy k mod n, and the ends of the stack."""
        one = torch.eye(COPIES)[(index.sublayer - 1) % COPIES].clone()
        read = Read(one, index.size.d_model, spec.model.norm_epsilon)
        entry = Copy() if index.sublayer == 1 else nn.Identity()
        after = Join() if index.sublayer == index.sublayers else nn.Identity()
        return placement(entry=entry, before=nn.Sequential(read, new()), after=after)

    return NormScheme(place, place, final=True)


def residual(spec: Spec, index: SublayerIndex) -> Write:
    """Return the writer of one sublayer, at first with weight 1 for each copy."""
    return Write(torch.ones(COPIES), index.size.d_model, spec.model.norm_epsilon)

"""Implement the layer-normalised LSTM of RNMT+, in one direction or both at once."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn

from deepmt.model.layer_norm import normalise

CELL_LIMIT = 10.0
Step = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]


class Lstm(nn.Module):
    """Compute [m_t, c_t] = cell([x_t; y_t; m_{t-1}] W, c_{t-1}) with m_0 = c_0 = 0.

    x is known for all t, so its part of the product is computed at once; only the part of m and y
    (`d_fed` values that arrive with each step; zero in most layers) stays in the loop over t.
    Each direction has its own W. Directions are a batch dimension n of every tensor, so two take
    as many steps as one.
    """

    def __init__(
        self,
        d_input: int,
        d_hidden: int,
        epsilon: float,
        *,
        d_fed: int = 0,
        directions: int = 1,
    ) -> None:
        super().__init__()
        self.d_input = d_input
        self.epsilon = epsilon
        rows = d_input + d_fed + d_hidden
        self.kernel = nn.Parameter(torch.zeros(directions, rows, 4 * d_hidden))
        self.scale = nn.Parameter(torch.zeros(directions, 4, d_hidden))
        self.bias = nn.Parameter(torch.zeros(directions, 4, d_hidden))

    def forward(self, x: Tensor) -> Tensor:
        """Return m_1..m_T: [n, T, B, I] -> [n, T, B, D]."""
        step, (m, c) = self.step(), self.start(x.size(2))
        states = []
        for product in self.project(x).unbind(1):
            m, c = step(product, m, c)
            states.append(m)
        return torch.stack(states, 1)

    def start(self, rows: int) -> tuple[Tensor, Tensor]:
        """Return m_0 and c_0: [n, rows, D] each."""
        zeros = self.scale.new_zeros(self.scale.size(0), rows, self.scale.size(2))
        return zeros, zeros

    def project(self, x: Tensor) -> Tensor:
        """Return x W_x for all time steps: [n, T, B, I] -> [n, T, B, 4D]."""
        product = torch.bmm(x.flatten(1, 2), self.kernel[:, : self.d_input])
        return product.unflatten(1, x.shape[1:3])

    def step(self) -> Step:
        """Return the function of one time step: x W_x [n, B, 4D], [y; m] [n, B, Y+D], c -> m, c."""
        gain, bias = (1 + self.scale)[:, None], self.bias[:, None]
        return partial(step, self.kernel[:, self.d_input :], gain, bias, self.epsilon)


def step(
    kernel: Tensor,
    gain: Tensor,
    bias: Tensor,
    epsilon: float,
    product: Tensor,
    fed: Tensor,
    c: Tensor,
) -> tuple[Tensor, Tensor]:
    """Complete the product p = [x; y; m] W and apply the cell."""
    return cell(torch.baddbmm(product, fed, kernel), c, gain, bias, epsilon)


def cell(p: Tensor, c: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Apply the LSTM cell of Chen 2018 as lingvo implements it.

    p [n, B, 4D] holds the gates i, f, o, g; c is [n, B, D].
    q_k = LN(p_k) * (1 + s_k) + b_k, each gate normalised over its own D values; gain = 1 + s;
    c' = clip(sigmoid(q_f) c + sigmoid(q_i) tanh(q_g), -10, 10); m' = sigmoid(q_o) c', no tanh.
    """
    width = c.shape[-1:]
    q = normalise(p.unflatten(-1, (4, *width)), epsilon=epsilon)
    q = torch.addcmul(bias, q, gain)
    i, f, o = q[..., :3, :].sigmoid().unbind(-2)
    c = torch.addcmul(f * c, i, q[..., 3, :].tanh()).clamp(-CELL_LIMIT, CELL_LIMIT)
    return o * c, c

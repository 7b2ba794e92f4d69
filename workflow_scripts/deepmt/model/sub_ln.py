"""Place norms before and inside sublayers, as Sub-LN does (Wang 2022, arXiv 2210.06423)."""

from functools import partial

from torch import Tensor, nn

from deepmt.model.attention import SelfAttention
from deepmt.model.feed_forward import FeedForward
from deepmt.model.layer_norm import LayerNorm
from deepmt.model.linear import Linear
from deepmt.model.norm import NormScheme, pre
from deepmt.settings.spec import Spec


class NormedLinear(Linear):
    """Compute LN(x) W^T + b."""

    def __init__(self, plain: nn.Linear, epsilon: float) -> None:
        super().__init__(plain.in_features, plain.out_features)
        self.norm = LayerNorm(plain.in_features, eps=epsilon)

    def forward(self, x: Tensor) -> Tensor:
        """Return all outputs: [..., I] -> [..., O]."""
        return super().forward(self.norm(x))


def norm_inside(f: nn.Module, epsilon: float) -> None:
    """Normalise what enters the last matrix of self-attention or of a feed-forward layer."""
    if isinstance(f, SelfAttention):
        f.out = NormedLinear(f.out, epsilon)
    elif isinstance(f, FeedForward):
        f.outer = NormedLinear(f.outer, epsilon)


def norm(spec: Spec) -> NormScheme:
    """Return the norm scheme: pre-norm, and norms inside all but cross-attention."""
    return NormScheme(pre, pre, True, partial(norm_inside, epsilon=spec.model.norm_epsilon))

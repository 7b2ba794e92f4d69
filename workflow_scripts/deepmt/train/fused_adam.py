"""Run Adam by torch's fused operation; its class would import torch's compiler, for a second."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

STEP, MOMENTS = "step", ("exp_avg", "exp_avg_sq")


class FusedAdam:
    """Update weights of one device as torch's AdamW does, whose state and names it has.

    Weight decay is decoupled (p -= decay * lr * p), as in Liu's code.
    """

    def __init__(
        self,
        weights: Iterable[nn.Parameter],
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        options = {"lr": 1e-3, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        self.param_groups: list[dict[str, Any]] = [{"params": [*weights], **options}]
        self.state: dict[nn.Parameter, dict[str, Tensor]] = {}

    @torch.no_grad()
    def step(self) -> None:
        """Update all weights that have a gradient."""
        [group] = self.param_groups
        weights = [weight for weight in group["params"] if weight.grad is not None]
        self.state |= {w: first_state(w) for w in weights if w not in self.state}
        states = [self.state[weight] for weight in weights]
        steps, *moments = ([state[key] for state in states] for key in (STEP, *MOMENTS))
        torch._foreach_add_(steps, 1)
        torch._fused_adamw_(
            weights,
            [weight.grad for weight in weights],
            *moments,
            [],
            steps,
            lr=group["lr"],
            beta1=group["betas"][0],
            beta2=group["betas"][1],
            weight_decay=group["weight_decay"],
            eps=group["eps"],
            amsgrad=False,
            maximize=False,
        )

    def state_dict(self) -> dict[str, Any]:
        """Return what is kept for each weight, by its number."""
        weights = enumerate(self.param_groups[0]["params"])
        return {"state": {n: self.state[weight] for n, weight in weights if weight in self.state}}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Take a state that was saved to the device of the weights."""
        for number, state in saved["state"].items():
            weight = self.param_groups[0]["params"][number]
            self.state[weight] = {key: value.to(weight.device) for key, value in state.items()}


def first_state(weight: nn.Parameter) -> dict[str, Tensor]:
    """Return the state before the first step."""
    count = torch.zeros((), dtype=torch.float32, device=weight.device)
    return {STEP: count, **{key: torch.zeros_like(weight) for key in MOMENTS}}

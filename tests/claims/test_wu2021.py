"""What the code of Wu 2021, a fairseq of 2019, does and our other papers' code does not.

Each rule is restated in float64.
"""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from deepmt.config.spec import Training
from deepmt.train.learning_rate import learning_rate
from deepmt.train.optimiser import epsilon_of, optimiser
from tiny import tiny_spec


def recipe(**changes: object) -> Training:
    own = {"lr": 5e-3, "warmup": 2000, "updates": 8000, "schedule_from": 0, "epsilon_hat": True}
    return replace(tiny_spec().training, **own | changes)


@pytest.mark.parametrize("update", [1, 2, 1000, 2000, 2001, 2002, 8000])
def test_the_first_update_has_the_initial_rate_and_the_one_after_warmup_the_peak(
    update: int,
) -> None:
    before = update - 1
    expected = 1e-7 + before * (5e-3 - 1e-7) / 2000
    if before >= 2000:
        expected = 5e-3 * math.sqrt(2000 / before)
    found = learning_rate(replace(tiny_spec(), training=recipe()), update)
    assert found == pytest.approx(expected, rel=1e-12)


def test_epsilon_hat_is_added_before_the_correction_of_bias() -> None:
    """Kingma 2015, section 2, with gradients as small as epsilon."""
    draw = torch.Generator().manual_seed(5)
    own = recipe(epsilon=1e-3)
    weight = nn.Parameter(torch.randn(50, dtype=torch.double, generator=draw))
    expected, m, v = weight.detach().clone(), torch.zeros(()), torch.zeros(())
    adam = optimiser([weight], own)
    for step in range(1, 4):
        gradient = 1e-3 * torch.randn(50, dtype=torch.double, generator=draw)
        m, v = 0.9 * m + 0.1 * gradient, 0.98 * v + 0.02 * gradient**2
        size = 0.01 * math.sqrt(1 - 0.98**step) / (1 - 0.9**step)
        expected -= size * m / (v.sqrt() + 1e-3)
        weight.grad = gradient
        adam.param_groups[0].update(lr=0.01, eps=epsilon_of(own, step))
        adam.step()
        torch.testing.assert_close(weight.data, expected, rtol=0, atol=1e-14)

"""Our Adam is torch's, to the bit, without torch's compiler."""

import subprocess
import sys
from copy import deepcopy

import torch

from deepmt.base.code_sums import SCRIPTS
from deepmt.train.fused_adam import FusedAdam

OPTIONS = {"betas": (0.9, 0.98), "eps": 1e-6, "weight_decay": 0.1}


def test_steps_and_state_are_those_of_torch() -> None:
    first = [torch.randn(5, 3), torch.randn(7), torch.randn(2)]
    ours, theirs = ([torch.nn.Parameter(x.clone()) for x in first] for _ in range(2))
    adam, adamw = FusedAdam(ours, **OPTIONS), torch.optim.AdamW(theirs, **OPTIONS, fused=True)
    for step in range(6):
        if step == 3:  # a state that torch's class saved is continued
            adam = FusedAdam(ours, **OPTIONS)
            adam.load_state_dict(deepcopy(adamw.state_dict()))
        for pair in zip(ours[:2], theirs[:2], strict=True):  # the last one has no gradient
            gradient = torch.randn(pair[0].shape)
            for weight in pair:
                weight.grad = gradient.clone()
        for optimiser in (adam, adamw):
            optimiser.param_groups[0].update(lr=0.01 * step, eps=1e-6 * step)
            optimiser.step()
        assert all(torch.equal(*pair) for pair in zip(ours, theirs, strict=True))
    saved, known = adam.state_dict()["state"], adamw.state_dict()["state"]
    assert saved.keys() == known.keys() == {0, 1}
    assert all(torch.equal(saved[n][key], known[n][key]) for n in known for key in known[n])


def test_no_compiler_is_loaded() -> None:
    code = (
        "import sys, torch; from deepmt.train.fused_adam import FusedAdam;"
        "weight = torch.nn.Parameter(torch.ones(3)); weight.grad = torch.ones(3);"
        "adam = FusedAdam([weight]); adam.step(); adam.load_state_dict(adam.state_dict());"
        "sys.exit('torch._dynamo' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, check=True)

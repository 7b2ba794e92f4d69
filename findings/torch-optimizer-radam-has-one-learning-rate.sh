#!/usr/bin/env bash
# RAdam of torch-optimizer trains every group of parameters at the learning rate of the first group.
# Topic: models
# Packages: torch-optimizer==0.3.0, torch==2.13.0
# Behaviour: RAdam([{"params": a, "lr": 1e-3}, {"params": b, "lr": 1e-5}]) moves b as far as a; param_groups and a log
#   of the rates show 1e-5. A rate of 0 does not freeze a group, and a scheduler is heard for the first group alone.
#   The size of a step is kept in a list by the number of the step, rate included; all groups share that one list.
# Why a good guess is wrong: groups with rates of their own are what torch.optim.Optimizer is made for. In the released
#   code of RAdam's authors the list is shared, too, but without the rate, which is multiplied in later.
# Who meets it: RAdam for ADMIN with another rate for omega, embeddings or layers that are tuned further.
# Source: torch_optimizer/radam.py, RAdam.__init__ (buffer in defaults) and step.
# Remedy: torch.optim.RAdam; or give each group its own "buffer": [[None] * 3 for _ in range(10)].
# Seen: torch.optim.radam: 5.19e-03 and 5.19e-05 in ten steps
#   torch_optimizer.radam: 5.19e-03 and 5.19e-03 in ten steps
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 torch-optimizer==0.3.0 pytorch-ranger==0.1.1 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import torch
import torch_optimizer


def moved(optimiser, **keys):
    first, second = (torch.nn.Parameter(torch.zeros(1)) for _ in range(2))
    groups = [{"params": [first], "lr": 1e-3}, {"params": [second], "lr": 1e-5, **keys}]
    rule = optimiser(groups)
    for _ in range(10):
        first.grad, second.grad = torch.ones(1), torch.ones(1)
        rule.step()
    return -float(first), -float(second)


for optimiser, ratio in ((torch.optim.RAdam, 100), (torch_optimizer.RAdam, 1)):
    first, second = moved(optimiser)
    print(f"{optimiser.__module__}: {first:.2e} and {second:.2e} in ten steps")
    assert abs(first / second / ratio - 1) < 1e-4
first, second = moved(torch_optimizer.RAdam, buffer=[[None] * 3 for _ in range(10)])
assert abs(first / second / 100 - 1) < 1e-4
PYTHON

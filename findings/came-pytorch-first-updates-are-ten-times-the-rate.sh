#!/usr/bin/env bash
# The first update of CAME moves a matrix by eleven times the learning rate, the tenth by twenty, and a bias by a tenth and by half of it.
# Topic: models
# Packages: came-pytorch==0.1.3, torch==2.13.0
# Behaviour: root mean square of an update, divided by the rate, for gradients of mean 1 and deviation 1: a matrix 11 at
#   the first update, 20 at the tenth, 11 at the hundredth, 3.6 at the thousandth; a bias 0.1, 0.5, 0.7 and 0.7.
# Why a good guess is wrong: CAME is Adafactor with a confidence, and Adafactor clips its update to the rate; so does
#   CAME, but before the division by the confidence. The mean of that begins at 0 with a beta of 0.9999 and is not
#   corrected for it, so that it is near 1 only after thousands of updates; biases are not divided at all.
# Who meets it: rates taken over from Adam or Adafactor with a short warm-up or none, and small tests of a few hundred
#   updates, which compare other rates than they name.
# Source: came_pytorch/CAME.py, `CAME.step` (exp_avg_res_row and exp_avg_res_col).
# Remedy: a warm-up of thousands of updates, and rates that were searched for CAME itself.
# Seen: update 1: matrix 11.1, bias 0.1; 10: 19.7, 0.5; 100: 10.9, 0.7; 1000: 3.6, 0.7
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 came-pytorch==0.1.3 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import torch
from came_pytorch import CAME

torch.manual_seed(1)
weights = [torch.nn.Parameter(torch.zeros(64, 64)), torch.nn.Parameter(torch.zeros(64))]
rate, moved = 1e-3, {}
rule = CAME(weights, lr=rate)
for update in range(1, 1001):
    before = [weight.detach().clone() for weight in weights]
    for weight in weights:
        weight.grad = torch.randn_like(weight) + 1
    rule.step()
    if update in (1, 10, 100, 1000):
        steps = [weight.detach() - old for weight, old in zip(weights, before)]
        moved[update] = [round(float(step.pow(2).mean().sqrt()) / rate, 1) for step in steps]
        print(f"update {update}: matrix {moved[update][0]}, bias {moved[update][1]} times the rate")
assert moved == {1: [11.1, 0.1], 10: [19.7, 0.5], 100: [10.9, 0.7], 1000: [3.6, 0.7]}
PYTHON

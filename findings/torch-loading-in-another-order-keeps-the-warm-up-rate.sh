#!/usr/bin/env bash
# A run resumed with torch's warm-up trains on at a tenth of its rate to the end if the scheduler was made after the optimiser was loaded.
# Topic: models
# Packages: torch==2.13.0
# Behaviour: SequentialLR of LinearLR(start_factor=0.1) and CosineAnnealingLR, saved after the warm-up. If the optimiser's
#   state is loaded, then the scheduler made and its state loaded, the next update has a tenth of the rate and so have
#   all that follow. get_last_lr() says the right rate until the next step. ChainedScheduler does the same; OneCycleLR
#   is wrong for one update only.
# Why a good guess is wrong: all states were restored, in the order in which the objects depend on each other, and the
#   scheduler knows its step. But making it multiplies the optimiser's rate, and LinearLR, CosineAnnealingLR and
#   ExponentialLR compute each rate from the one before. A note of torch warns of the order; it does not say that the
#   schedule never recovers.
# Who meets it: training scripts that build the scheduler last, because it needs the number of updates.
# Source: torch/optim/lr_scheduler.py, `LRScheduler._initial_step`, `LinearLR.get_lr`, `CosineAnnealingLR.get_lr`.
# Remedy: make the scheduler first, then load the optimiser; or one LambdaLR, which needs no rate before.
# Seen: as without a break: 0.9755 0.9045 0.7939 0.6545 0.5; scheduler made last: 0.1 0.0927 0.0814 0.0671 0.0513
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 2> /dev/null
bin/python -W ignore - << 'PYTHON'
from copy import deepcopy

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, LinearLR, SequentialLR


def new_optimiser():
    return torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))], lr=1.0)


def warm_up(optimiser):
    return SequentialLR(optimiser, [LinearLR(optimiser, 0.1, total_iters=4), CosineAnnealingLR(optimiser, 10)], [4])


def closed(optimiser):
    return LambdaLR(optimiser, lambda step: min(1.0, 0.1 + 0.225 * step))


def rates(schedule, order):
    optimiser = new_optimiser()
    scheduler = schedule(optimiser)
    seen = []
    for update in range(10):
        if update == 5 and order != "no break":
            saved = deepcopy((optimiser.state_dict(), scheduler.state_dict()))
            optimiser = new_optimiser()
            if order == "scheduler first":
                scheduler = schedule(optimiser)
            optimiser.load_state_dict(saved[0])
            if order == "scheduler last":
                scheduler = schedule(optimiser)
            scheduler.load_state_dict(saved[1])
        seen.append(round(optimiser.param_groups[0]["lr"], 4))
        optimiser.step()
        scheduler.step()
    return seen[5:]


whole, first, last = (rates(warm_up, order) for order in ("no break", "scheduler first", "scheduler last"))
print(f"without a break {whole}\nscheduler made first {first}\nscheduler made last {last}")
assert whole == first == [0.9755, 0.9045, 0.7939, 0.6545, 0.5]
assert last == [0.1, 0.0927, 0.0814, 0.0671, 0.0513]
print("LambdaLR, made last", rates(closed, "scheduler last"))
assert rates(closed, "scheduler last")[1:] == [1.0] * 4
PYTHON

#!/usr/bin/env bash
# The first optimiser of torch imports its compiler, some 850 modules, in every training process that compiles nothing.
# Topic: models
# Packages: torch==2.13.0
# Behaviour: Optimizer.add_param_group, which the constructor calls, and step import torch._dynamo, to keep themselves
#   out of a graph. That takes 1.3 core seconds and 40 MB, as much time as `import torch` itself.
# Why a good guess is wrong: torch._dynamo is imported lazily, so that who compiles nothing does not pay for it;
#   nothing in the documentation of optimisers names the compiler.
# Who meets it: workflows of many short trainings, searches of learning rates, tests, and data loaders that fork after
#   an optimiser was made.
# Source: torch/_compile.py (_disable_dynamo, inner) and torch/optim/optimizer.py (_use_grad_for_differentiable).
# Remedy: call the fused operation, torch._fused_adamw_, as this project does; or import torch._dynamo once, before
#   processes are forked.
# Seen: before True False, after True
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0
bin/python - <<'PYTHON' | tee seen
import sys

import torch

weight = torch.nn.Parameter(torch.ones(3))
before = "torch.optim" in sys.modules, "torch._dynamo" in sys.modules
torch.optim.AdamW([weight])
print("before", *before, end=", ")
print("after", "torch._dynamo" in sys.modules)
PYTHON
grep -qx "before True False, after True" seen

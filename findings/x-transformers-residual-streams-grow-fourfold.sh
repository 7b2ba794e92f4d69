#!/usr/bin/env bash
# Four residual streams of x-transformers multiply the state by 4 in every sublayer: a new model is its embedding.
# Topic: models
# Packages: x-transformers==2.31.10, x-transformers==2.11.24, torch==2.13.0
# Behaviour: num_residual_streams=4 asks for hyper-connections whose mixing matrix is doubly stochastic (mHC). The
#   matrix in use has 1 everywhere: its rows are cut apart before Sinkhorn's steps, and in a row alone each column has
#   one value, which is normalised to 1. So each stream becomes the sum of all four, 4^(sublayers) times as large, and
#   what a branch adds is lost beside it. The final norm hides that: six layers give nearly their normalised input,
#   20 overflow float32. 2.11.24 starts as pre-norm does; its weights load in 2.31.10 with all keys matched.
# Why a good guess is wrong: the static part starts as the identity, and no doubly stochastic matrix makes a state
#   grow; under the same option and names of weights, a minor release should compute the same.
# Who meets it: comparisons of hyper-connections with pre-norm or DLCL at depth.
# Source: x_transformers/x_transformers.py, HyperConnection.prepare (rearrange before sinkhorn) and sinkhorn; 2.14.0
#   and 2.20.1 grow as well.
# Remedy: HyperConnections of the package hyper-connections 0.4.11, or 2.11.24.
# Seen: 2.11.24: 4.1 4.2 4.3 after 2, 4, 6 sublayers
#   2.31.10: 63.0 1008.5 16135.8 after 2, 4, 6 sublayers; <All keys matched successfully>
#   cosine of output and input, six layers: 0.972; output of 20 layers: nan
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 x-transformers==2.11.24 einops==0.8.2 einx==0.4.3 loguru==0.7.3 packaging==26.4 \
  torch-einops-utils==0.2.0 2> /dev/null
cat > grow.py << 'PYTHON'
import pathlib

import torch
from torch.nn import Identity
from torch.nn.functional import cosine_similarity
from x_transformers import Encoder


def encoder(depth):
    torch.manual_seed(1)
    return Encoder(dim=64, depth=depth, heads=4, num_residual_streams=4).eval()


def size(depth):
    model = encoder(depth).double()
    model.final_norm = Identity()
    return float(model(words.double()).std())


torch.manual_seed(2)
words = torch.randn(2, 8, 64)
sizes = [size(depth) for depth in (1, 2, 3)]
print(*(f"{size:.1f}" for size in sizes), "after 2, 4, 6 sublayers")
weights = pathlib.Path("weights.pt")
if not weights.exists():
    assert sizes[2] < 6
    torch.save(encoder(3).state_dict(), weights)
else:
    assert sizes[2] > 10000
    print(encoder(3).load_state_dict(torch.load(weights)))
    likeness = float(cosine_similarity(encoder(6)(words), words, dim=-1).min())
    print(f"cosine of output and input, six layers: {likeness:.3f};", end=" ")
    deep = float(encoder(20)(words)[0, 0, 0])
    print(f"output of 20 layers: {deep}")
    assert likeness > 0.95 and not abs(deep) > 0
PYTHON
bin/python -W ignore grow.py
python3 -m pip --python bin/python install -q --no-compile --no-deps x-transformers==2.31.10 2> /dev/null
bin/python -W ignore grow.py | tee seen
grep -q "All keys matched" seen

#!/usr/bin/env bash
# The mHC of lucidrains' hyper-connections starts as no residual connection: its four copies become one in a few layers.
# Topic: models
# Packages: hyper-connections==0.4.11, torch==2.13.0
# Behaviour: the weights of ManifoldConstrainedHyperConnections start as those of HyperConnections (identity, one copy
#   read, all written by 1), but now go through an exponential with Sinkhorn's steps and through sigmoids. The identity
#   becomes 0.475 and 0.175: each sublayer shrinks the differences of the copies to 0.30, to 3e-13 after 12 layers. A
#   branch reads 0.73 of one copy and 0.5 of the three others, and is written by 1.46.
# Why a good guess is wrong: a start by the identity is what the layer index and the identity matrix are there for;
#   HyperConnections of the same package has it, and so is a plain residual model before training.
# Who meets it: comparisons of both kinds with pre-norm: models differ in scale and signal before the first update.
# Source: hyper_connections/manifold_constrained_hyper_connections.py, width_connection and sinkhorn_knopps.
# Remedy: static_alpha with a diagonal of 8 for 1 gives 0.999 on the diagonal; static_beta 0 writes by 1.
# Seen: HyperConnections: differences kept 1.000, reads 1.00, writes 1.00
#   ManifoldConstrainedHyperConnections: differences kept 0.300, reads 2.23, writes 1.46
#   with a diagonal of 8: differences kept 0.999
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 hyper-connections==0.4.11 einops==0.8.2 torch-einops-utils==0.2.0 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import torch
from hyper_connections import HyperConnections, ManifoldConstrainedHyperConnections

torch.manual_seed(1)
copies, ones = torch.randn(4, 3, 16), torch.ones(4, 1, 16)


def kept(block):
    branch, add = block(copies)
    after = add(torch.zeros_like(branch))
    return float((after - after.mean(0)).norm() / (copies - copies.mean(0)).norm())


def scales(block):
    read, add = block(ones)
    return float(read.mean()), float((add(ones[:1]) - add(0 * ones[:1])).mean())


for kind in (HyperConnections, ManifoldConstrainedHyperConnections):
    block = kind(4, dim=16, layer_index=0)
    share, (read, written) = kept(block), scales(block)
    print(f"{kind.__name__}: differences kept {share:.3f}, reads {read:.2f}, writes {written:.2f}")
    assert (abs(share - 1) < 1e-4) == (kind is HyperConnections)
assert abs(share - 0.3005) < 0.001 and abs(read - 2.231) < 0.01 and abs(written - 1.462) < 0.01
block.static_alpha.data[:, 1:] *= 8
print(f"with a diagonal of 8: differences kept {kept(block):.3f}")
assert kept(block) > 0.99
PYTHON

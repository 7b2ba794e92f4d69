#!/usr/bin/env bash
# Muon of heavyball takes gains and biases, too, and moves them by the gradient itself: a sum over words explodes there.
# Topic: models
# Packages: heavyball==3.2.1, torch==2.13.0
# Behaviour: Muon(model.parameters()) accepts every parameter. A matrix, embeddings included, moves by an orthogonal
#   matrix, whatever the gradient's size. A vector moves by the averaged gradient times the same rate, without any
#   normalisation: a loss that is 1,000 times as large, as a sum over a batch's words is, moves gains 1,000 times as
#   far and matrices as before.
# Why a good guess is wrong: torch.optim.Muon refuses vectors, and its authors' class has Adam for them; Muon is known
#   for steps that do not depend on the gradient's scale.
# Who meets it: Muon for Transformers with layer norms; losses that are sums over tokens, as in fairseq and Marian.
# Source: heavyball/chainable.py, orthogonalize_update (returns an update of fewer than two dimensions as it is).
# Remedy: heavyball.MuonAdamW, which routes vectors to AdamW, and matrices to Muon, embeddings included.
# Seen: Muon: a loss of 1,000 times moves the matrix 1.00 and the gain 1000.00 times as far
#   MuonAdamW: a loss of 1,000 times moves the matrix 1.00 and the gain 1.00 times as far
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 heavyball==3.2.1 numpy==2.4.6 opt_einsum==3.4.0 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import heavyball
import heavyball.utils
import torch

heavyball.utils.compile_mode = None


def moved(rule, factor):
    torch.manual_seed(1)
    layer, norm = torch.nn.Linear(32, 32, bias=False), torch.nn.LayerNorm(32)
    before = layer.weight.detach().clone()
    optimiser = rule([layer.weight, norm.weight])
    words = torch.randn(8, 32)
    (norm(layer(words)) * torch.randn(8, 32) * factor).sum().backward()
    optimiser.step()
    return float((layer.weight - before).norm()), float((norm.weight - 1).norm())


for rule in (heavyball.Muon, heavyball.MuonAdamW):
    small, large = moved(rule, 1), moved(rule, 1000)
    matrix, gain = (after / before for before, after in zip(small, large))
    print(f"{rule.__name__}: a loss of 1,000 times moves the matrix {matrix:.2f} and the gain {gain:.2f} times as far")
    assert abs(matrix - 1) < 0.1
    assert abs(gain / (1000 if rule is heavyball.Muon else 1) - 1) < 0.1
PYTHON

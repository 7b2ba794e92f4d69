#!/usr/bin/env bash
# The attention weights that torch.nn.MultiheadAttention returns in training have been through dropout: they do not sum to 1.
# Topic: models
# Packages: torch==2.13.0
# Behaviour: with dropout=0.1 the weights of each head are dropped and the rest divided by 0.9 before they are averaged
#   over heads and returned. A row sums to anything around 1, a single head's weight may be 0 or above 1. In eval() all
#   rows sum to 1.
# Why a good guess is wrong: "attention weights" are the softmax; that of Keras' MultiHeadAttention is returned as it was
#   before dropout. A test of the weights in eval() finds nothing.
# Who meets it: guided alignment, coverage and entropy penalties, copy mechanisms that use the weights as a
#   distribution in the loss: log of 0, and a copy probability above 1.
# Source: torch/nn/functional.py, `multi_head_attention_forward` (dropout of attn_output_weights before the return).
# Remedy: dropout=0 in the layer whose weights are used, or a second call in eval().
# Seen: training: sums of rows 0.56 to 1.11, largest weight of a head 1.11, zeros 9%; eval(): 1.00 to 1.00, 1.00, 0%
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import torch

torch.manual_seed(1)
attention = torch.nn.MultiheadAttention(16, 2, dropout=0.1, batch_first=True)
words = torch.randn(4, 10, 16) * 4
for mode in (True, False):
    attention.train(mode)
    heads = attention(words, words, words, average_attn_weights=False)[1].detach()
    mean = attention(words, words, words)[1].detach()
    sums = mean.sum(-1)
    print(f"training {mode}: sums of rows {sums.min():.2f} to {sums.max():.2f}, "
          f"largest weight of a head {heads.max():.2f}, zeros {(heads == 0).float().mean():.0%}")
    if mode:
        assert sums.min() < 0.95 and sums.max() > 1.05 and (heads == 0).any() and heads.max() > 1
    else:
        assert (sums - 1).abs().max() < 1e-5 and heads.max() <= 1 + 1e-5
PYTHON

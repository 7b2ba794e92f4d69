#!/usr/bin/env bash
# DeepNorm of labml-nn starts from other weights than the paper's: its factor beta is put on torch's default weights and not on Glorot's.
# Topic: models
# Packages: labml-nn==0.5.1, labml==0.5.3, torch==2.13.0
# Behaviour: values, output and feed-forward matrices are those of nn.Linear (uniform, deviation 1 / sqrt(3 inputs)) times
#   beta. Relative to the paper's Glorot weights with gain beta, values and output have 0.58 of the deviation, the first
#   feed-forward matrix 0.91, the second 0.46; queries and keys 0.58 of Glorot's. Biases of all are random, and keep
#   their size: beta is not put on them.
# Why a good guess is wrong: alpha and beta are the paper's, and the right four matrices get beta; but the paper's
#   code names xavier_normal_ with gain beta, and gain 1 for queries and keys.
# Who meets it: comparisons of initialisations of deep models with this code, which updates each sublayer less than
#   DeepNet does at its start.
# Source: labml_nn/normalization/deep_norm/__init__.py, `DeepNormTransformerLayer.__init__` (weight *= deep_norm_beta).
# Remedy: torch.nn.init.xavier_normal_(weight, gain=beta) after the layer was made.
# Seen: deviation relative to Glorot times gain: query 0.58, key 0.58, value 0.58, output 0.58, first 0.91, second 0.46
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 numpy==2.4.6 einops==0.8.2 PyYAML==6.0.4 labml==0.5.3 labml-helpers==0.4.89 \
  labml-nn==0.5.1 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import math

import torch
from labml_nn.normalization.deep_norm import DeepNormTransformerLayer
from labml_nn.transformers.feed_forward import FeedForward
from labml_nn.transformers.mha import MultiHeadAttention

torch.manual_seed(1)
layers, width = 12, 256
beta = (8 * layers) ** -0.25
attention, inner = MultiHeadAttention(4, width), FeedForward(width, 4 * width)
DeepNormTransformerLayer(
    d_model=width, self_attn=attention, feed_forward=inner, deep_norm_alpha=(2 * layers) ** 0.25, deep_norm_beta=beta
)
matrices = {
    "query": (attention.query.linear, 1.0),
    "key": (attention.key.linear, 1.0),
    "value": (attention.value.linear, beta),
    "output": (attention.output, beta),
    "first": (inner.layer1, beta),
    "second": (inner.layer2, beta),
}
share = {}
for name, (linear, gain) in matrices.items():
    share[name] = round(linear.weight.std().item() / (gain * math.sqrt(2 / sum(linear.weight.shape))), 2)
print(f"deviation relative to Glorot times gain: {share}")
assert share == {"query": 0.58, "key": 0.58, "value": 0.58, "output": 0.58, "first": 0.91, "second": 0.46}
assert all(abs(linear.bias.std().item() * math.sqrt(3 * linear.in_features) - 1) < 0.15 for linear, _ in matrices.values())
PYTHON

#!/usr/bin/env bash
# prepare_muon_parameters of pytorch-optimizer gives most attention matrices of torch.nn.Transformer to Adam.
# Topic: models
# Packages: pytorch_optimizer==4.1.0, torch==2.13.0
# Behaviour: a matrix goes to Muon if its module is Linear, a convolution or LSTM and its full name has no "head" in
#   it. in_proj_weight belongs to MultiheadAttention itself: queries, keys and values go to Adam. The cross-attention of
#   a decoder layer is called multihead_attn: its output goes to Adam for its name. An output layer called generator,
#   as in torch's own tutorial of translation, goes to Muon, which its authors advise against.
# Why a good guess is wrong: the function is there to sort matrices of hidden layers from all others; no error or
#   warning tells that cross-attention has none of its matrices in Muon.
# Who meets it: Muon against Adam on torch's Transformer, at depth most of all.
# Source: pytorch_optimizer/optimizer/muon/utils.py, prepare_muon_parameters.
# Remedy: groups by hand, with use_muon; read the groups that were made.
# Seen: Muon: self_attn.out_proj linear1 linear2 generator
#   Adam: embedding self_attn.in_proj_weight multihead_attn.in_proj_weight multihead_attn.out_proj
#   64% of the numbers in matrices of layers are trained by Muon
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 pytorch_optimizer==4.1.0 numpy==2.4.6 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import re

import torch
from pytorch_optimizer.optimizer.muon import prepare_muon_parameters

model = torch.nn.ModuleDict({
    "embedding": torch.nn.Embedding(20, 32),
    "transformer": torch.nn.Transformer(32, 4, 3, 3, 128),
    "generator": torch.nn.Linear(32, 20),
})
matrices = {id(weight): name for name, weight in model.named_parameters() if weight.ndim > 1}
rule = prepare_muon_parameters(model, "muon", lr=0.02, weight_decay=0.0)
seen, sizes = {}, {}
for group in rule.param_groups:
    kind = "Muon" if group["use_muon"] else "Adam"
    names = [(matrices[id(weight)], weight.numel()) for weight in group["params"] if id(weight) in matrices]
    seen[kind] = list(dict.fromkeys(re.sub(r".*layers\.\d+\.|\.weight", "", name) for name, _ in names))
    sizes[kind] = sum(size for name, size in names if "layers" in name)
    print(f"{kind}: {' '.join(seen[kind])}")
share = sizes["Muon"] / sum(sizes.values())
print(f"{share:.0%} of the numbers in matrices of layers are trained by Muon")
assert seen["Muon"] == ["self_attn.out_proj", "linear1", "linear2", "generator"]
assert "multihead_attn.out_proj" in seen["Adam"] and "self_attn.in_proj_weight" in seen["Adam"]
PYTHON

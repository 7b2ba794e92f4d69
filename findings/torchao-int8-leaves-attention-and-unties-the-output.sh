#!/usr/bin/env bash
# torchao's int8 weights for torch.nn.Transformer leave every attention matrix in float32, and untie the output layer from the embedding.
# Topic: models
# Packages: torchao==0.18.0, torch==2.13.0
# Behaviour: quantize_(model, Int8WeightOnlyConfig()) makes linear1, linear2 and the output layer Int8Tensor. in_proj_weight
#   and out_proj of self- and cross-attention stay float32, so does the embedding. A weight shared by embedding and output
#   layer is two afterwards: the float32 one stays, an int8 copy comes on top.
# Why a good guess is wrong: quantize_ is documented as converting all linear modules, and out_proj is an instance of
#   nn.Linear; its class NonDynamicallyQuantizableLinear is left out. Sharing is thought to be kept or refused. Nothing is
#   said, and translations stay good.
# Who meets it: sizes and speeds of "int8" models built on torch's own layers.
# Source: torchao/quantization/quant_api.py, `_is_linear`, the default filter of `quantize_`.
# Remedy: count the bytes afterwards; nn.Linear layers of your own for the projections.
# Seen: int8: linear1 linear2 output; float32: embedding in_proj_weight out_proj; tied before True, after False;
#   57% of the numbers in matrices of layers are int8
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 torchao==0.18.0 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import logging

import torch

logging.disable(logging.WARNING)  # of files for GPUs that are not there
from torchao.quantization import Int8WeightOnlyConfig, quantize_


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(100, 64)
        self.transformer = torch.nn.Transformer(64, 4, 2, 2, 256, batch_first=True)
        self.output = torch.nn.Linear(64, 100, bias=False)
        self.output.weight = self.embedding.weight


model = Model().eval()
tied = [model.output.weight is model.embedding.weight]
quantize_(model, Int8WeightOnlyConfig())
tied.append(model.output.weight is model.embedding.weight)
kinds, sizes = {}, {}
for name, weight in model.named_parameters():
    if weight.ndim > 1:
        kind = "int8" if type(weight).__name__ == "Int8Tensor" else "float32"
        place = name.removesuffix(".weight").rsplit(".", 1)[-1]
        kinds.setdefault(place, set()).add(kind)
        if "layers" in name:
            sizes[kind] = sizes.get(kind, 0) + weight.numel()
share = sizes["int8"] / sum(sizes.values())
print(kinds, f"tied before and after: {tied}; {share:.0%} of the numbers in matrices of layers are int8")
assert tied == [True, False]
assert all(kinds[place] == {"int8"} for place in ("linear1", "linear2", "output"))
assert all(kinds[place] == {"float32"} for place in ("embedding", "in_proj_weight", "out_proj"))
PYTHON

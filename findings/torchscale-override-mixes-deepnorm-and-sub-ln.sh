#!/usr/bin/env bash
# override of torchscale's configurations leaves Sub-LN and pre-norm on beside DeepNorm: 18 layers give nan.
# Topic: models
# Packages: torchscale==0.3.0, fairscale==0.4.13, torch==2.13.0
# Behaviour: EncoderDecoderConfig(deepnorm=True) turns Sub-LN, the default, off and puts norms behind the sum. These
#   rules are in the constructor alone. config.override(args), with args.deepnorm = True, copies the value and nothing
#   else: alpha multiplies a stream that no norm ends, both initialisations are applied, and no error is raised. The
#   other way round, args with subln = True and encoder_normalize_before = False give Sub-LN behind post-norm.
# Why a good guess is wrong: two ways to set one value should make one model.
# Who meets it: who reads options by argparse, as torchscale's own models for fairseq do: in its translation model,
#   --subln alone has normalize_before = False as its default.
# Source: torchscale/architecture/config.py, override; examples/fairseq/models/machine_translation.py (read, not run).
# Remedy: EncoderDecoderConfig(**vars(args)); or set deepnorm, subln and both of normalize_before.
# Seen: constructor, 6 layers: post-norm, deviation 1.00 and 1.00
#   override, 6 layers: pre-norm, deviation 4.71e+01 and 1.11e+05
#   override, 18 layers: pre-norm, deviation 2.84e+10 and nan
#   override with subln and without normalize_before: post-norm True
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 torchscale==0.3.0 fairscale==0.4.13 numpy==2.4.6 2> /dev/null
# A stand-in for timm, which has the function that drops paths, and needs torchvision; no path is dropped here.
mkdir -p timm/models && echo "drop_path = None" > timm/models/layers.py
bin/python -W ignore - << 'PYTHON'
import sys
from argparse import Namespace

import torch

sys.path.insert(0, ".")
from torchscale.architecture.config import EncoderConfig, EncoderDecoderConfig
from torchscale.architecture.encoder_decoder import EncoderDecoder
from torchscale.component.embedding import TextEmbedding

NAMES = {True: "pre-norm", False: "post-norm"}


def config(way, layers):
    sizes = {"embed_dim": 32, "ffn_embed_dim": 64, "attention_heads": 2, "layers": layers}
    sides = {f"{side}_{key}": size for side in ("encoder", "decoder") for key, size in sizes.items()}
    given = EncoderDecoderConfig(**sides, vocab_size=20, share_all_embeddings=True, deepnorm=way == "constructor")
    if way == "override":
        given.override(Namespace(deepnorm=True))
    return given


def deviations(way, layers):
    torch.manual_seed(1)
    model, seen = EncoderDecoder(config(way, layers), TextEmbedding(20, 32, padding_idx=1)).eval(), []
    for stack in (model.encoder, model.decoder):
        stack.layers[-1].register_forward_hook(lambda _, __, output: seen.append(float(output[0].std())))
    words = torch.randint(4, 20, (4, 9))
    model(words, words)
    order = NAMES[model.encoder.layers[0].normalize_before]
    print(f"{way}, {layers} layers: {order}, deviation {seen[0]:.2e} and {seen[1]:.2e}")
    return seen


assert max(deviations("constructor", 6)) < 1.01
assert deviations("override", 6)[1] > 1e4
assert not deviations("override", 18)[1] < 1e20
given = EncoderConfig()
given.override(Namespace(subln=True, encoder_normalize_before=False))
print(f"override with subln and without normalize_before: {NAMES[given.encoder_normalize_before]} {given.subln}")
assert given.subln and not given.encoder_normalize_before
PYTHON

#!/usr/bin/env bash
# EncoderDecoder of torchscale takes a mask of the source's padding and drops it: translations depend on the batch.
# Topic: toolkits
# Packages: torchscale==0.3.0, fairscale==0.4.13, torch==2.13.0
# Behaviour: model(source, target, encoder_padding_mask=mask) raises nothing: forward has **kwargs and calls the encoder
#   without them. The encoder then makes a mask without any padding, which is handed to cross-attention, too. An
#   embedding of 0 for padding does not help: softmax still gives padding a share.
# Why a good guess is wrong: the Encoder alone has this argument and heeds it, and a wrong name would be refused.
# Who meets it: DeepNorm or Sub-LN from the authors' package, trained or scored in batches of unequal lengths.
# Source: torchscale/architecture/encoder_decoder.py, EncoderDecoder.forward.
# Remedy: call model.encoder(source, encoder_padding_mask=mask), and model.decoder(target, encoder_out=...) with it.
# Seen: alone -8.3490, with five of padding -8.3733, by the two halves -8.3490
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 torchscale==0.3.0 fairscale==0.4.13 numpy==2.4.6 2> /dev/null
# A stand-in for timm, which has the function that drops paths, and needs torchvision; no path is dropped here.
mkdir -p timm/models && echo "drop_path = None" > timm/models/layers.py
bin/python -W ignore - << 'PYTHON'
import sys

import torch
from torch.nn.functional import pad

sys.path.insert(0, ".")
from torchscale.architecture.config import EncoderDecoderConfig
from torchscale.architecture.encoder_decoder import EncoderDecoder
from torchscale.component.embedding import TextEmbedding

torch.manual_seed(1)
sizes = {"embed_dim": 32, "ffn_embed_dim": 64, "attention_heads": 2, "layers": 2}
sides = {f"{side}_{key}": size for side in ("encoder", "decoder") for key, size in sizes.items()}
config = EncoderDecoderConfig(**sides, vocab_size=20, share_all_embeddings=True, deepnorm=True)
model = EncoderDecoder(config, TextEmbedding(20, 32, padding_idx=1)).double().eval()
source, target = torch.tensor([[4, 5, 6, 2]]), torch.tensor([[2, 7, 8]])
filled = pad(source, (0, 5), value=1)
mask = filled.eq(1)
state = model.encoder(filled, encoder_padding_mask=mask)
outputs = (
    model(source, target),
    model(filled, target, encoder_padding_mask=mask),
    model.decoder(target, encoder_out=state),
)
alone, whole, halves = (float(output[0].log_softmax(-1)[0, -1, 9]) for output in outputs)
print(f"alone {alone:.4f}, with five of padding {whole:.4f}, by the two halves {halves:.4f}")
assert abs(alone - halves) < 1e-9 and abs(alone - whole) > 0.001
PYTHON

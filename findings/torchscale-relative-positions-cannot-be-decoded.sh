#!/usr/bin/env bash
# A torchscale model with rel_pos_buckets trains, but cannot be decoded step by step: it ends in a RuntimeError.
# Topic: toolkits
# Packages: torchscale==0.3.0, fairscale==0.4.13, torch==2.13.0
# Behaviour: with an incremental state the decoder cuts its biases by their first axis, which is batch times heads,
#   where the positions of the queries are the second. The sizes then fit only at the one word whose number is batch
#   times heads, where the wrong rows are added without an error; at any other word after the first RuntimeError ends
#   the run. The causal decoder also sorts distances by buckets for both directions, so half of its table stays without
#   a gradient, and cross-attention has biases by distance as well.
# Why a good guess is wrong: the options are those of T5, whose decoder has all buckets for what came before and no
#   biases in cross-attention; a forward pass over whole sentences, as in training, is right.
# Who meets it: who turns on relative positions in DeepNorm's or Sub-LN's translation model, after training it.
# Source: torchscale/architecture/decoder.py, Decoder.forward (self_attn_rel_pos_bias[-1:]); relative_position_bias.py.
# Remedy: decode without incremental_state.
# Seen: two heads, second word: 1.33 from that of the whole sentence
#   third word: RuntimeError
#   buckets with a gradient in the decoder: 4 of 8
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 torchscale==0.3.0 fairscale==0.4.13 numpy==2.4.6 2> /dev/null
# A stand-in for timm, which has the function that drops paths, and needs torchvision; no path is dropped here.
mkdir -p timm/models && echo "drop_path = None" > timm/models/layers.py
bin/python -W ignore - << 'PYTHON'
import sys

import torch

sys.path.insert(0, ".")
from torchscale.architecture.config import EncoderDecoderConfig
from torchscale.architecture.encoder_decoder import EncoderDecoder
from torchscale.component.embedding import TextEmbedding


def translator(**options):
    torch.manual_seed(1)
    sizes = {"embed_dim": 32, "ffn_embed_dim": 64, "attention_heads": 2, "layers": 2}
    sides = {f"{side}_{key}": size for side in ("encoder", "decoder") for key, size in sizes.items()}
    config = EncoderDecoderConfig(**sides, vocab_size=20, share_all_embeddings=True, **options)
    return EncoderDecoder(config, TextEmbedding(20, 32, padding_idx=1)).double().eval()


def differences(model):
    source, target = torch.tensor([[4, 5, 6, 2]]), torch.tensor([[2, 7, 8, 9]])
    whole, encoded, state = model(source, target)[0], model.encoder(source), {}
    for last in range(4):
        state["is_first_step"] = last == 0
        try:
            word = model.decoder(target[:, : last + 1], encoder_out=encoded, incremental_state=state)[0]
        except RuntimeError as error:
            yield type(error).__name__
            return
        yield float((word[0, -1] - whole[0, last]).abs().max())


assert max(differences(translator())) < 1e-9
model = translator(rel_pos_buckets=8, max_rel_pos=16)
first, second, third = differences(model)
print(f"two heads, second word: {second:.2f} from that of the whole sentence")
print(f"third word: {third}")
assert first < 1e-9 and second > 1e-3 and third == "RuntimeError"
words = torch.randint(4, 20, (1, 60))
model(words, words)[0].logsumexp(-1).sum().backward()
table = model.decoder.self_attn_relative_position.relative_attention_bias.weight.grad
used = int(table.abs().sum(1).gt(0).sum())
print(f"buckets with a gradient in the decoder: {used} of 8")
assert used == 4 and model.decoder.cross_attn_relative_position.relative_attention_bias.weight.grad.any()
PYTHON

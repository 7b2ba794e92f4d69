#!/usr/bin/env bash
# A model of mammoth has no positions unless max_length is set: its encoder reads the source as a bag of words.
# Topic: toolkits
# Packages: mammoth-nlp==0.2.1, x-transformers==1.32.14, torch==2.13.0
# Behaviour: max_length is the size of the table of positions, and not only a limit. Its default, None, becomes a
#   table of 0 rows, which x-transformers takes as "no positions". Neither of rotary, ALiBi or relative positions is on
#   by default. The encoder then maps a permuted source to permuted vectors; only the decoder, which looks back
#   only, can tell an order. mammoth_train runs and says nothing of it. max_length 64 adds 64 learned positions.
# Why a good guess is wrong: a Transformer without positions is no default anywhere, the help says no more than
#   "Maximum sequence length.", and leaving a limit out is thought to lift the limit.
# Who meets it: whoever writes a configuration from the list of options and cuts long sentences by the transform
#   filtertoolong (src_seq_length), as in OpenNMT-py.
# Source: mammoth/model_builder.py, get_transformer_wrapper_kwargs (max_seq_len = 0 if max_length is None);
#   x_transformers/x_transformers.py, TransformerWrapper (pos_emb).
# Remedy: max_length, or x_transformers_opts: {rotary_pos_emb: true}.
# Seen: max_length=None: reversed source gives reversed vectors: True
#   max_length=64: reversed source gives reversed vectors: False
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
# Without its pins, which are of its tests and of old Pythons.
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 einops==0.8.0 ConfigArgParse==1.9.0 PyYAML==6.0.4 packaging==26.4 numpy==2.4.6 \
  mammoth-nlp==0.2.1 x-transformers==1.32.14 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import torch
from mammoth import model_builder as builder, opts
from mammoth.distributed.components import Side
from mammoth.utils.parse import ArgumentParser

needed = "-tasks {} -src_vocab {} -tgt_vocab {} -node_rank 0 -seed 1 -save_model m".split()


def reads_a_bag(*given):
    parser = ArgumentParser()
    opts.train_opts(parser)
    known, _ = parser.parse_known_args([*needed, "-model_dim", "32", "-enc_layers", "2", *given])
    known.x_transformers_opts = None
    torch.manual_seed(1)
    layers = builder.get_attention_layers_kwargs(Side.encoder, 0, "all", known)
    block = builder.AdaptedAttentionLayers(layer_stack_index=0, xcoder_id="all", **layers)
    stack = builder.AdaptedAttentionLayersStack([block])
    encoder = builder.TransformerWrapper(
        num_tokens=50,
        attn_layers=stack,
        emb_dim=32,
        token_emb=builder.TokenEmbedding(32, 50),
        **builder.get_transformer_wrapper_kwargs(Side.encoder, known),
    ).eval()
    source = torch.arange(4, 14)[None]
    same = torch.allclose(encoder(source.flip(1)), encoder(source).flip(1), atol=1e-5)
    print(f"max_length={known.max_length}: reversed source gives reversed vectors: {same}")
    return same


assert reads_a_bag() and not reads_a_bag("-max_length", "64")
PYTHON

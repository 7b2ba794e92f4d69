#!/usr/bin/env bash
# CTranslate2's generate_batch writes less text if the prompt is shown in the result: max_length counts a shown prompt, and no hidden one.
# Topic: toolkits
# Packages: ctranslate2==4.8.5, numpy==2.4.6
# Behaviour: include_prompt_in_result is true by default. max_length=10 then holds for prompt and new tokens together
#   (the first token of the prompt is not counted), and a prompt that is longer is cut: nothing is generated. With
#   include_prompt_in_result=False there are 10 new tokens. min_length goes the same way.
# Why a good guess is wrong: the option is documented as one of the result, and max_length as the length of the
#   generation; in the other common library, max_length counts the prompt always, and max_new_tokens never.
# Who meets it: translation and back-translation by a decoder-only model, whose prompt is the source sentence: long
#   sentences get short translations, or none, with a limit that was tried with one setting and used with the other.
# Source: CTranslate2's src/models/language_model.cc and src/decoding.cc (is_last_step adds the length of the prefix
#   only if the prefix is not returned).
# Remedy: include_prompt_in_result=False.
# Seen: new tokens for prompts of 3, 6 and 12 tokens, max_length=10
#   shown [8, 5, 0], hidden [10, 10, 10]
#   tokens of the result with the prompt of 12: 10
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile ctranslate2==4.8.5 numpy==2.4.6
bin/python - <<'PYTHON'
import os

import ctranslate2
import numpy as np
from ctranslate2.specs import transformer_spec

random, width, types = np.random.default_rng(0), 32, 24
words = ["<blank>", "<s>", "</s>", "<unk>"] + [f"w{i}" for i in range(types - 4)]


def linear(layer, rows, columns):
    layer.weight = (random.standard_normal((rows, columns)) * 0.3).astype("float32")
    layer.bias = np.zeros(rows, "float32")


def norm(layer):
    layer.gamma, layer.beta = np.ones(width, "float32"), np.zeros(width, "float32")


spec = transformer_spec.TransformerDecoderModelSpec.from_config(1, 4)
decoder, layer = spec.decoder, spec.decoder.layer[0]
decoder.embeddings.weight = random.standard_normal((types, width)).astype("float32")
decoder.position_encodings.encodings = random.standard_normal((60, width)).astype("float32")
linear(layer.self_attention.linear[0], 3 * width, width)
linear(layer.self_attention.linear[1], width, width)
linear(layer.ffn.linear_0, 2 * width, width)
linear(layer.ffn.linear_1, width, 2 * width)
for place in layer.self_attention.layer_norm, layer.ffn.layer_norm, decoder.layer_norm:
    norm(place)
linear(decoder.projection, types, width)
decoder.projection.bias[2] = -1000  # the model never ends a text
spec.register_vocabulary(words)
spec.validate()
spec.optimize()
os.mkdir("model")
spec.save("model")
model = ctranslate2.Generator("model", compute_type="float32")
new, results = {}, []
for shown in True, False:
    new[shown] = []
    for length in 3, 6, 12:
        prompt = ["<s>"] + words[4 : 3 + length]
        tokens = model.generate_batch([prompt], max_length=10, include_prompt_in_result=shown)[0].sequences[0]
        new[shown].append(max(0, len(tokens) - (length - 1)) if shown else len(tokens))
        results.append(len(tokens))
print("new tokens for prompts of 3, 6 and 12 tokens, max_length=10")
print(f"shown {new[True]}, hidden {new[False]}")
print("tokens of the result with the prompt of 12:", results[2])
raise SystemExit(not (new == {True: [8, 5, 0], False: [10, 10, 10]} and results[2] <= 11))
PYTHON

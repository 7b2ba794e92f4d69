#!/usr/bin/env bash
# CTranslate2's return_logits_vocab gives logits with greedy search alone: with the default beam there is one empty entry for a translation.
# Topic: toolkits
# Packages: ctranslate2==4.8.5, numpy==2.4.6
# Behaviour: with beam_size=1 a result has a vector of logits for each step, end symbol included. With a beam of 2,
#   the default of translate_batch, or more, it has one entry for each hypothesis, whatever its length, and that of
#   the best one is empty here.
# Why a good guess is wrong: the option is offered for both searches and refused for none; its reference promises the
#   logits of each hypothesis.
# Who meets it: confidence by entropy, distillation from the whole distribution, looking at alternatives of a word.
# Source: CTranslate2's src/decoding.cc, BeamSearch::search (only the logits of the step in which a hypothesis ends
#   are kept, from place i * k of the batch, and moved away when they are taken twice).
# Remedy: beam_size=1, with target_prefix set to the translation where those of a beam are needed.
# Seen: beam 1: 4 words, vectors [[24], [24], [24], [24], [24]]
#   beam 2: 5 words, vectors [[]]
#   beam 3: 6 words, vectors [[]]
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


spec = transformer_spec.TransformerSpec.from_config((1, 1), 4)
angles = np.arange(60)[:, None] / 10000 ** (np.arange(width // 2) * 2 / width)
for side in spec.encoder, spec.decoder:
    table = side.embeddings[0] if side is spec.encoder else side.embeddings
    table.weight = (random.standard_normal((types, width)) / width**0.5).astype("float32")
    side.position_encodings.encodings = np.hstack([np.sin(angles), np.cos(angles)]).astype("float32")
    norm(side.layer_norm)
    for layer in side.layer:
        attentions = [(layer.self_attention, (3, 1))]
        if side is spec.decoder:
            attentions.append((layer.attention, (1, 2, 1)))
        for attention, parts in attentions:
            for inner, part in zip(attention.linear, parts):
                linear(inner, part * width, width)
            norm(attention.layer_norm)
        linear(layer.ffn.linear_0, 2 * width, width)
        linear(layer.ffn.linear_1, width, 2 * width)
        norm(layer.ffn.layer_norm)
linear(spec.decoder.projection, types, width)
spec.decoder.projection.bias[2] = 1
spec.register_source_vocabulary(words)
spec.register_target_vocabulary(words)
spec.validate()
spec.optimize()
os.mkdir("model")
spec.save("model")
model = ctranslate2.Translator("model", compute_type="float32")
for beam in 1, 2, 3:
    options = dict(beam_size=beam, return_logits_vocab=True, max_decoding_length=6)
    result = model.translate_batch([["w1", "w2", "w3", "w4"]], **options)[0]
    length, shapes = len(result.hypotheses[0]), [vector.shape for vector in result.logits[0]]
    print(f"beam {beam}: {length} words, vectors {shapes}")
    if len(shapes) != (length + 1 if beam == 1 else 1):
        raise SystemExit(1)
PYTHON

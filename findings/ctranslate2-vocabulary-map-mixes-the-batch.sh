#!/usr/bin/env bash
# With a vocabulary map, CTranslate2 gives a sentence other words and another score in a batch than alone: it may use its neighbours' words.
# Topic: toolkits
# Packages: ctranslate2==4.8.5, numpy==2.4.6
# Behaviour: use_vmap=True restricts the output to the candidates of the source's words. The set is made for the whole
#   batch: all candidates of all its sentences. The softmax runs over the set, so that each neighbour lowers the
#   probabilities of a sentence, and its translation can contain words that the map allows for a neighbour alone. The
#   unknown word, the start and the end symbol are always in the set.
# Why a good guess is wrong: the map is documented as from source words to target words, and without it words and
#   scores of a batch are those of single sentences.
# Who meets it: Marian models with a shortlist, converted; scores as confidence; tests that translate one sentence;
#   whoever sorts text by length or changes the batch size (the larger the batch, the less the map restricts).
# Source: CTranslate2's src/vocabulary_map.cc, get_candidates (one set for a list of sentences).
# Remedy: max_batch_size=1 where output must not depend on neighbours; score_batch without use_vmap for scores.
# Seen: alone w3 w3 w3 w3 w3 w3 w3 w3 -0.305
#   in a batch w12 -1.064
#   words not in its own candidates: w12
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
candidates = {f"w{i}": [f"w{(i + k) % 20}" for k in range(3)] for i in range(20)}
open("map", "w").write("".join(f"{word}\t{' '.join(some)}\n" for word, some in candidates.items()))
spec.register_vocabulary_mapping("map")
spec.validate()
spec.optimize()
os.mkdir("model")
spec.save("model")
model = ctranslate2.Translator("model", compute_type="float32")
sentence, neighbour = ["w1", "w2"], ["w9", "w10", "w11", "w12"]


def translate(*sentences):
    options = dict(use_vmap=True, max_decoding_length=8, return_scores=True, beam_size=1, disable_unk=True)
    options["suppress_sequences"] = [["<s>"]]
    result = model.translate_batch(list(sentences), **options)[0]
    return result.hypotheses[0], result.scores[0]


alone, batch = translate(sentence), translate(sentence, neighbour)
allowed = {word for source in sentence for word in candidates[source]}
outside = [set(words) - allowed for words, _ in (alone, batch)]
print("alone %s %.3f" % (" ".join(alone[0]), alone[1]))
print("in a batch %s %.3f" % (" ".join(batch[0]), batch[1]))
print("words not in its own candidates:", *sorted(outside[1]))
raise SystemExit(not (not outside[0] and outside[1] and alone != batch))
PYTHON

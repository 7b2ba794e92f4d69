#!/usr/bin/env bash
# CTranslate2's beam search returns, for the first word of a translation, the attention of another sentence of the batch.
# Topic: toolkits
# Packages: ctranslate2==4.8.5, numpy==2.4.6
# Behaviour: a batch is sorted by length, longest first. With a beam of k, sentence i (from 0) gets as its first
#   attention vector the one of sentence i // k; only the longest sentence gets its own. All later vectors are right,
#   and so are all vectors of greedy search. coverage_penalty uses the vectors: positions behind the end of a short
#   sentence get a little attention at the first word and none later, and each costs beta log(that little).
# Why a good guess is wrong: words and scores of a batch are those of single translations, and so is the attention of
#   every later word; the penalty of Wu et al. sums over the words of the sentence's own source.
# Who meets it: alignments for tags, placeholders and glossaries, replace_unknowns (which copies the source word with
#   the highest attention), coverage_penalty: all in batches only, so that a test with one sentence is right.
# Source: CTranslate2's src/decoding.cc, BeamSearch::search (attention_step is repeated for the beams, and then
#   gathered by indices of a state that is not expanded) and compute_coverage_penalty.
# Remedy: beam_size=1, or max_batch_size=1, where attention is needed.
# Seen: vectors that differ, alone and in a batch: beam 1: [] beam 3: [0]
#   the first one is that of the other sentence: True
#   score with coverage_penalty=0.5: alone -1.2708, with a sentence of 8 words -7.2738, of 15 words -19.4586
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
short = ["w1", "w2", "w3", "w4"]


def translate(length, **options):
    sentences = [short] + ([words[4 : 4 + length]] if length else [])
    return model.translate_batch(sentences, max_decoding_length=20, return_attention=True, return_scores=True, **options)


differing = {}
for beam in 1, 3:
    alone, both = translate(0, beam_size=beam)[0], translate(6, beam_size=beam)
    assert alone.hypotheses == both[0].hypotheses
    pairs = zip(alone.attention[0], both[0].attention[0])
    differing[beam] = [i for i, (a, b) in enumerate(pairs) if not np.allclose(a, b, atol=1e-3)]
print("vectors that differ, alone and in a batch: beam 1:", differing[1], "beam 3:", differing[3])
others = np.allclose(both[0].attention[0][0], both[1].attention[0][0][:4], atol=1e-3)
print("the first one is that of the other sentence:", others)
scores = [translate(n, beam_size=3, coverage_penalty=0.5)[0].scores[0] for n in (0, 8, 15)]
print("score with coverage_penalty=0.5: alone %.4f, with a sentence of 8 words %.4f, of 15 words %.4f" % tuple(scores))
raise SystemExit(not (differing == {1: [], 3: [0]} and others and scores[0] > scores[1] + 1 > scores[2] + 2))
PYTHON

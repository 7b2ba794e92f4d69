#!/usr/bin/env bash
# CTranslate2's score of a translation with a target prefix leaves the prefix out, and is divided by its length as well.
# Topic: toolkits
# Packages: ctranslate2==4.8.5, numpy==2.4.6
# Behaviour: the score is the sum of the log probabilities after the prefix, divided by the number of all tokens, prefix
#   and end symbol included (length_penalty is 1 by default). With 8 words given and 2 to come, it is divided by 11 and
#   not by 3. So the longer the prefix, the nearer each score is to 0, and the less it matters how long the rest is:
#   the best of an n-best list is a shorter one than the mean over its new words would choose.
# Why a good guess is wrong: either all tokens count in both, as without a prefix, or the new ones in both, as in
#   transformers. The documentation has hypothesis_score /= hypothesis_length ** length_penalty, and says nothing of
#   prefixes. Without a prefix the score is the mean.
# Who meets it: interactive translation, constrained beginnings, context before the sentence; confidence thresholds.
#   With M2M100, NLLB and mBART the tag of the language is such a prefix, of one token, in each translation.
# Source: CTranslate2's src/decoding.cc, BeamSearch::search (scores of the prefix's steps are 0; finalize_result takes
#   the length of the whole hypothesis), and GreedySearch::search.
# Remedy: length_penalty=0 with num_hypotheses=beam_size, and divide by your own count; or score_batch.
# Seen: 8 words given: sum of the rest -0.88 / score -0.10 = 9.0, 1 new tokens; another has the better mean: 36 of 55;
#   new words of the chosen 1.9, of the better 6.1; 0 words given: 0 of 67
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile ctranslate2==4.8.5 numpy==2.4.6 2> /dev/null
bin/python - << 'PYTHON'
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
draw = np.random.default_rng(1)
sources = [[f"w{i}" for i in draw.integers(0, 20, length)] for length in draw.integers(3, 9, 200)]
options = dict(beam_size=4, num_hypotheses=4, return_scores=True, min_decoding_length=0, max_decoding_length=40)


def translate(prefixes):
    """Lists of (score, sums of log probabilities after the prefix, number of all tokens) of complete n-best lists."""
    for source, prefix, result in zip(sources, prefixes, model.translate_batch(sources, prefixes, **options)):
        if all(len(hypothesis) < 40 for hypothesis in result.hypotheses):
            scored = model.score_batch([source] * 4, result.hypotheses)
            rests = [sum(each.log_probs[len(prefix) :]) for each in scored]
            yield result.scores, rests, [len(each.log_probs) for each in scored]


for size in 0, 1, 4, 8:
    prefixes = [[f"w{i}" for i in draw.integers(0, 20, size)] for _ in sources]
    lists, other, chosen, better = list(translate(prefixes)), 0, [], []
    for scores, rests, lengths in lists:
        assert np.allclose(np.array(rests) / lengths, scores, atol=1e-3)
        best = int(np.argmax([rest / (length - size) for rest, length in zip(rests, lengths)]))
        other += best != int(np.argmax(scores))
        chosen.append(lengths[int(np.argmax(scores))] - size - 1)
        better.append(lengths[best] - size - 1)
    scores, rests, lengths = lists[0]
    print(f"{size} words given: sum of the rest {rests[0]:.2f} / score {scores[0]:.2f} =", end=" ")
    print(f"{rests[0] / scores[0]:.1f},", end=" ")
    print(f"{lengths[0] - size} new tokens; another has the better mean: {other} of {len(lists)};", end=" ")
    print(f"new words of the chosen {np.mean(chosen):.1f}, of the better {np.mean(better):.1f}")
    assert other == 0 if size == 0 else other > len(lists) / 4 and np.mean(chosen) < np.mean(better)
PYTHON

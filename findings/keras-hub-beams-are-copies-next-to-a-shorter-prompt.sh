#!/usr/bin/env bash
# Beam search of keras-hub gives a prompt another, worse text if a shorter prompt is in its batch: its beams are copies of each other.
# Topic: toolkits
# Packages: keras-hub==0.32.0, keras==3.15.1, jax==0.10.2, numpy==2.4.6
# Behaviour: a batch is searched from the end of its shortest prompt. Where a longer prompt has its words, all beams get
#   the prompt's word, but each with the score of another word that the model would have written. Four beams are then
#   one text four times, at four scores; two of the four results are doubles, the best text of the prompt alone is not
#   among them, and the scores charge for words that nobody wrote.
# Why a good guess is wrong: prompts of several lengths in one call are supported and masked; greedy search gives each
#   its own text. Log probabilities under the mask are believed to be left out.
# Who meets it: generate() on a list of prompts or target prefixes with sampler="beam", and whoever ranks by its scores.
# Source: keras_hub/src/samplers/beam_sampler.py, `BeamSampler.__call__`, body (the mask holds for next_token only).
# Remedy: prompts of one length in a batch.
# Seen: alone: [0, 5, 1, 1, 1] log P -3.22, 4 different texts; beside a shorter prompt: [0, 5, 2, 4, 0] log P -3.89,
#   2 different texts of 4, best score -6.51
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile keras==3.15.1 jax==0.10.2 numpy==2.4.6 kagglehub==1.0.2 kagglesdk==0.1.28 regex==2026.11.19 \
  tokenizers==0.23.3 sentencepiece==0.2.3 2> /dev/null
python3 -m pip --python bin/python install -q --no-compile --no-deps keras-hub==0.32.0 2> /dev/null # without TensorFlow
KERAS_BACKEND=jax bin/python -W ignore - << 'PYTHON'
import keras_hub
import numpy as np
from keras import ops

table = np.random.default_rng(1).dirichlet(np.full(8, 0.5), size=8)  # P(next word | word)
logits = ops.convert_to_tensor(np.log(table).astype("float32"))
long, short, room = [1, 2, 3, 4], [5], 9


def next_word(text, cache, index):
    return ops.take(logits, text[:, index - 1], axis=0), None, cache


def search(*prompts):
    text, mask = np.zeros((len(prompts), room), "int32"), np.zeros((len(prompts), room), bool)
    for row, prompt in enumerate(prompts):
        text[row, : len(prompt)], mask[row, : len(prompt)] = prompt, True
    sampler = keras_hub.samplers.BeamSampler(num_beams=4, return_all_beams=True)
    start = min(map(len, prompts))
    texts, scores = sampler(next_word, ops.convert_to_tensor(text), index=start, mask=ops.convert_to_tensor(mask))
    best = np.array(texts)[0]
    truth = sum(np.log(table[best[0][place - 1], best[0][place]]) for place in range(len(long), room))
    different = len({tuple(line) for line in best.tolist()})
    print(best[0][4:].tolist(), f"log P {truth:.2f}, score {scores[0][0]:.2f}, {different} different texts of 4")
    return truth, float(scores[0][0]), different


alone, beside = search(long), search(long, short)
assert alone[0] > beside[0] + 0.5 and abs(alone[0] - alone[1]) < 1e-4
assert alone[2] == 4 and beside[2] == 2 and beside[1] < beside[0] - 1
PYTHON

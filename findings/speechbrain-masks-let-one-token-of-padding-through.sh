#!/usr/bin/env bash
# SpeechBrain counts a token of padding as a word: a sentence of 7 words beside one of 13 has 8 in its accuracy, one of 36 beside 70 has 37 in its loss.
# Topic: toolkits
# Packages: speechbrain==1.1.2, torch==2.13.0
# Behaviour: batches carry lengths as shares of the longest, in float32, and masks take the places below the share times
#   the width. 7 / 13 * 13 is 7.0000005 there, so place 7, which is padding, counts: a model that is right about all
#   words has 20 of 21 right. Losses take 0.000001 off first, which is less than the rounding of numbers above 16. A
#   model with loss 0 on its words, and e^-50 for the padding, has the loss 0.47.
# Why a good guess is wrong: undo_padding and the encoder of the same package round the product; a width below 13 (70 for
#   losses) is always right, as is any sentence that is the longest or half of it.
# Who meets it: accuracies and losses of sentences in batches, which change with the neighbours.
# Source: speechbrain/dataio/dataio.py, `length_to_mask`; speechbrain/utils/Accuracy.py; speechbrain/nnet/losses.py,
#   `compute_length_mask`.
# Remedy: torch.round(length * width) for a mask of your own; one length in a batch.
# Seen: of 5050 pairs of lengths up to 100, one token more in 243 of Accuracy, the first (7, 13), and in 77 of the
#   losses, the first (36, 70); right 20 of 21; loss 0.47
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 hyperpyyaml==1.2.3 joblib==1.6.0 packaging==26.4 requests==2.34.2 \
  scipy==1.17.1 sentencepiece==0.2.3 tqdm==4.70.1 huggingface_hub==2.4.0 2> /dev/null
python3 -m pip --python bin/python install -q --no-compile --no-deps speechbrain==1.1.2 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import sys
import types
from importlib.machinery import ModuleSpec

import torch

for name in ("torchaudio", "soundfile"):  # stand-ins: nothing here reads sound
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__spec__ = ModuleSpec(name, None)
    sys.modules[name].__version__ = "2.11.0"
from speechbrain.dataio.batch import PaddedBatch
from speechbrain.dataio.dataio import length_to_mask
from speechbrain.nnet.losses import compute_length_mask, nll_loss
from speechbrain.utils.Accuracy import Accuracy


def wrong(mask):
    found = []
    for width in range(1, 101):
        tokens = torch.arange(1, width + 1)
        counted = mask(tokens / width, width).sum(1).long()
        found += [(int(right), width) for right, more in zip(tokens, counted) if more != right]
    return len(found), found[0]


def batch(*sizes):
    words, lengths = PaddedBatch([{"words": torch.ones(size, dtype=torch.long)} for size in sizes]).words
    model = torch.full((*words.shape, 3), -50.0)
    model[:, :, 1] = 0.0  # right about all words, which are 1; the padding is 0
    return model, words, lengths


accuracy = wrong(lambda share, width: length_to_mask(share * width, max_len=width))
losses = wrong(lambda share, width: compute_length_mask(torch.ones(width, width), share))
(right, of), loss = Accuracy(*batch(7, 13)), float(nll_loss(*batch(36, 70)))
print(f"Accuracy {accuracy}, losses {losses}; right {right:.0f} of {of:.0f}; loss {loss:.2f}")
assert accuracy == (243, (7, 13)) and losses == (77, (36, 70))
assert (right, of) == (20, 21) and abs(loss - 50 / 107) < 1e-3
PYTHON

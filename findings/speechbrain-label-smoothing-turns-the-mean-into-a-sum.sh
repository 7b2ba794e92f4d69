#!/usr/bin/env bash
# SpeechBrain's kldiv_loss with reduction="mean", its default, is a sum over all tokens as soon as label_smoothing is above 0.
# Topic: toolkits
# Packages: speechbrain==1.1.2, torch==2.13.0
# Behaviour: without smoothing "mean" is the mean over tokens. With 0.1 or 0.000001 it is the sum over the batch: two
#   sentences of 10 tokens give 20 times the loss and the gradient. "batch" gives the sum of each sentence divided by its
#   share of the longest: a sentence of half the length gets twice its sum. The mask of length is not used then: padding
#   counts unless it is pad_idx.
# Why a good guess is wrong: one argument means two things; a small change of the smoothing should change the loss a
#   little. The docstring sends the reader to torch for "mean".
# Who meets it: whoever takes the function without the recipes' reduction (batchmean), or compares losses with and
#   without smoothing; clipping and weight decay see the factor, Adam's steps do not.
# Source: speechbrain/nnet/losses.py, `kldiv_loss` (loss.sum().mean(); loss.view(bz, -1).sum(1) / length).
# Remedy: reduction="sum", divided by a count of your own.
# Seen: mean: smoothing 0: 1.61, 0.000001: 32.19; batch with lengths 10 and 5 at 0.000001: 16.09 16.09
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 hyperpyyaml==1.2.3 joblib==1.6.0 packaging==26.4 requests==2.34.2 \
  scipy==1.17.1 sentencepiece==0.2.3 tqdm==4.70.1 huggingface_hub==2.4.0 2> /dev/null
python3 -m pip --python bin/python install -q --no-compile --no-deps speechbrain==1.1.2 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import math
import sys
import types
from importlib.machinery import ModuleSpec

import torch

for name in ("torchaudio", "soundfile"):  # stand-ins: nothing here reads sound
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__spec__ = ModuleSpec(name, None)
    sys.modules[name].__version__ = "2.11.0"
from speechbrain.nnet.losses import kldiv_loss

one = math.log(5)  # the loss of a token if five words are equally probable
model = torch.full((2, 10, 5), 0.2).log()
words = torch.ones(2, 10, dtype=torch.long)
full = torch.ones(2)
mean = {rate: float(kldiv_loss(model, words, full, label_smoothing=rate)) for rate in (0.0, 1e-6)}
print({rate: round(loss, 2) for rate, loss in mean.items()})
assert abs(mean[0.0] - one) < 1e-3 and abs(mean[1e-6] - 20 * one) < 1e-2
words[1, 5:] = 0  # the second sentence has five words, and padding
lengths = torch.tensor([1.0, 0.5])
batch = kldiv_loss(model, words, lengths, label_smoothing=1e-6, reduction="batch")
print([round(float(loss), 2) for loss in batch])
assert all(abs(float(loss) - 10 * one) < 1e-2 for loss in batch)
PYTHON

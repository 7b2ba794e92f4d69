#!/usr/bin/env bash
# transformers 5 gives other probabilities for the same UMT5 model than transformers 4: all logits are divided by the root of the width.
# Topic: models
# Packages: transformers==5.23.0, transformers==4.57.6 (huggingface-hub==0.36.2, tokenizers==0.22.2,
#   requests==2.34.2), torch==2.13.0
# Behaviour: UMT5's files say tie_word_embeddings: false, for which the model leaves the decoder's output as it is.
#   transformers 5 overwrites the setting with true while it reads the file, and UMT5ForConditionalGeneration still
#   takes it as the sign to multiply the output by d_model ** -0.5 (T5 got a setting of its own for that, mT5 never
#   multiplied). Width 64 divides by 8, umt5-base (768) by 28. Weights are loaded as they are, embeddings are not
#   tied.
# Why a good guess is wrong: weights and file are the same, T5 v1.1 and mT5 are right in both versions, and the first
#   choice of each step is the same in both, so greedy translations are equal.
# Who meets it: fine-tuning (the loss starts far off, and the model learns larger logits), beam search, sampling and
#   scores with UMT5; a model that was fine-tuned under one version is wrong under the other.
# Source: transformers/models/umt5/configuration_umt5.py, __post_init__, and modeling_umt5.py, forward of
#   UMT5ForConditionalGeneration.
# Remedy: model.config.tie_word_embeddings = False after loading.
# Seen: 4.57.6: file says False, the model's setting False, log P -14.60
#   5.23.0: file says False, the model's setting True, log P -14.44; with the setting of the file -14.60
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 transformers==5.23.0 requests==2.34.2
python3 -m pip --python bin/python install -q --no-compile --no-deps --target=old transformers==4.57.6 huggingface-hub==0.36.2 tokenizers==0.22.2
cat > score.py <<'PYTHON'
import json
import os
import sys

import torch
from transformers import UMT5Config, UMT5ForConditionalGeneration, __version__

if not os.path.exists("model"):
    torch.manual_seed(0)
    sizes = dict(vocab_size=48, d_model=64, d_kv=16, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0)
    model = UMT5ForConditionalGeneration(UMT5Config(tie_word_embeddings=False, **sizes))
    with torch.no_grad():
        model.lm_head.weight.normal_(0, 0.3)
    model.save_pretrained("model")
model = UMT5ForConditionalGeneration.from_pretrained("model").eval()


def score():
    labels = torch.tensor([[8, 9, 10, 1]])
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([[5, 6, 7, 1]]), labels=labels).logits
    return logits.log_softmax(-1).gather(-1, labels[..., None]).sum().item()


file = json.load(open("model/config.json"))["tie_word_embeddings"]
line = f"{__version__}: file says {file}, the model's setting {model.config.tie_word_embeddings}, log P {score():.2f}"
first = score()
model.config.tie_word_embeddings = False
print(line + (f"; with the setting of the file {score():.2f}" if __version__[0] == "5" else ""))
open(f"score-{__version__[0]}", "w").write(f"{first} {score()}\n")
PYTHON
export TRANSFORMERS_VERBOSITY=error
PYTHONPATH=old bin/python score.py 2>log || { cat log; exit 1; }
bin/python score.py 2>log || { cat log; exit 1; }
read -r old _ < score-4
read -r new repaired < score-5
python3 -c "raise SystemExit(not (abs($old - $new) > 0.1 and abs($old - $repaired) < 1e-3))"

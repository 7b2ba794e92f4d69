#!/usr/bin/env bash
# XTransformer of x-transformers counts the padding of target sentences in its loss, although it has pad_value=0.
# Topic: toolkits
# Packages: x-transformers==2.31.10, torch==2.13.0
# Behaviour: XTransformer(pad_value=0, ignore_index=-100) are the defaults. pad_value is what variable prompts are
#   filled up with; the loss leaves out ignore_index alone. model(src, tgt, mask=src_mask) with targets filled up
#   with 0 is the mean over padding, too, so the model learns to write padding after the end symbol, and the loss of a
#   batch depends on how its sentences are put together. mask is of the source; the wrapper has lens for its own
#   input, but XTransformer has no argument for it.
# Why a good guess is wrong: the model is told which number is padding, the README's example of an encoder and
#   decoder passes a mask, and other toolkits leave padding out of the loss.
# Who meets it: translation and other pairs of unequal length; dev losses and perplexities look better, as padding is
#   easy to predict once it is learnt.
# Source: x_transformers/x_transformers.py, XTransformer.forward; autoregressive_wrapper.py, AutoregressiveWrapper
#   (ignore_index alone reaches cross_entropy).
# Remedy: XTransformer(..., ignore_index=0), or targets filled up with -100 (the wrapper embeds these as pad_value).
# Seen: {}: 3.391 alone, 3.722 with nine symbols of padding
#   {'ignore_index': 0}: 3.391 alone, 3.391 with nine symbols of padding
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 x-transformers==2.31.10 einops==0.8.2 einx==0.4.3 loguru==0.7.3 packaging==26.4 \
  torch-einops-utils==0.2.0 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import torch
from torch.nn.functional import pad
from x_transformers import XTransformer


def losses(**options):
    torch.manual_seed(1)
    sizes = {"num_tokens": 20, "depth": 1, "heads": 2, "max_seq_len": 16}
    sides = {f"{side}_{key}": value for side in ("enc", "dec") for key, value in sizes.items()}
    model = XTransformer(dim=32, **sides, **options).eval()
    source, target = torch.tensor([[3, 4, 5]]), torch.tensor([[1, 7, 8, 9, 10, 2]])
    mask = torch.ones(1, 3, dtype=torch.bool)
    alone, filled = (float(model(source, t, mask=mask)) for t in (target, pad(target, (0, 9))))
    print(f"{options}: {alone:.3f} alone, {filled:.3f} with nine symbols of padding")
    return alone, filled


alone, filled = losses()
assert abs(alone - filled) > 0.01
alone, filled = losses(ignore_index=0)
assert abs(alone - filled) < 1e-5
PYTHON

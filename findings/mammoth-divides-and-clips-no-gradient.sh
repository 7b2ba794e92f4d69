#!/usr/bin/env bash
# mammoth's normalization does nothing, and its max_grad_norm is multiplied by the number of weights.
# Topic: toolkits
# Packages: mammoth-nlp==0.2.1, x-transformers==1.32.14, torch==2.13.0
# Behaviour: normalization is sents by default, and can be tokens. The trainer counts sentences or tokens, and divides
#   nothing by the count: the gradient is the sum over all target tokens of the update. max_grad_norm, 1 by default, is
#   multiplied by the number of weights of a module (embedding, encoder, decoder ...) before norms are compared with it. A
#   module of a million weights is clipped above a norm of a million, which is never.
# Why a good guess is wrong: both options come from OpenNMT-py and are documented as there: "Normalization method of the
#   gradient", and "renormalize it to have the norm equal to max_grad_norm". Logs show a loss per token.
# Who meets it: training by sgd, the default, whose rate has to fall as batches grow; runs that diverge although they are
#   clipped at 1; comparisons of clipping with other toolkits. Adam hides the sum.
# Source: mammoth/trainer.py, Trainer._gradient_accumulation (the division is commented out); mammoth/utils/optimizers.py,
#   SubOptimizer (_max_grad_norm and _n_params_tot).
# Seen: gradient of 2 sentences with 6 tokens over that of their sum: sents 1.00, tokens 1.00
#   1,000 weights, max_grad_norm 1: a norm of 999 stays 999, one of 2000 becomes 1000
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
# Without its pins, which are of its tests and of old Pythons.
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 einops==0.8.0 ConfigArgParse==1.9.0 PyYAML==6.0.4 packaging==26.4 numpy==2.4.6 \
  mammoth-nlp==0.2.1 x-transformers==1.32.14 2> /dev/null
bin/python -W ignore - << 'PYTHON'
from types import SimpleNamespace as Some
from unittest.mock import MagicMock

import torch
from mammoth.trainer import Trainer
from mammoth.utils.optimizers import SubOptimizer

TYPES = 5
loss = torch.nn.CrossEntropyLoss(reduction="sum", ignore_index=0)  # as mammoth/utils/loss.py makes it
words = torch.tensor([[1, 1], [2, 3], [4, 2], [3, 4]])[..., None]  # two sentences of 1 + 3 tokens: [T, B, 1]
side = Some(tensor=words, mask=torch.ones(3, 2, dtype=torch.bool))
batch = Some(src=side, tgt=side, batch_size=2, line_idx=0)


class Model(torch.nn.Module):
    """Give every token the same logits, which are the weights."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(TYPES))

    def forward(self, src, decoder_input, src_mask, metadata):
        return self.weight.expand(*decoder_input.shape, TYPES), torch.zeros(*decoder_input.shape, 1)


def gradient(normalization):
    model = Model()
    optimiser = Some(amp=False, backward=lambda value: value.backward())
    trainer = Trainer(model, {"de": loss}, optimiser, norm_method=normalization)
    task = Some(corpus_id="pairs", tgt_lang="de")
    of_task = Some(get_serializable_metadata=lambda: task)
    trainer._gradient_accumulation([(batch, task, 0)], MagicMock(), MagicMock(), of_task, [])
    return model.weight.grad


def after_clipping(norm):
    matrix = torch.nn.Parameter(torch.zeros(10, 100))
    optimiser = SubOptimizer(torch.optim.SGD([matrix], lr=1.0), 1.0, None, max_grad_norm=1.0)
    matrix.grad = torch.full((10, 100), norm / 1000**0.5)
    optimiser.step()
    return float(matrix.detach().norm())


weight = torch.zeros(TYPES, requires_grad=True)
loss(weight.expand(6, TYPES), words[1:].flatten()).backward()
ratios = {name: float(gradient(name).norm() / weight.grad.norm()) for name in ("sents", "tokens")}
shown = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
print(f"gradient of 2 sentences with 6 tokens over that of their sum: {shown}")
assert all(abs(ratio - 1) < 1e-5 for ratio in ratios.values())
low, high = after_clipping(999), after_clipping(2000)
print(f"1,000 weights, max_grad_norm 1: a norm of 999 stays {low:.0f}, one of 2000 becomes {high:.0f}")
assert abs(low - 999) < 1 and abs(high - 1000) < 1
PYTHON

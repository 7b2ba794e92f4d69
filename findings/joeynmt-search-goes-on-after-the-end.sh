#!/usr/bin/env bash
# joeynmt's beam search goes on with translations that have ended, and these push unfinished ones out of the beam.
# Topic: toolkits
# Packages: joeynmt==2.3.0, torch==2.13.0
# Behaviour: a hypothesis that ends is kept as a result, and stays in the beam, too. The model, which was never trained on
#   what follows an end symbol, is asked for the next word all the same, and the children of the ended one take
#   places that unfinished hypotheses need. Here a beam of 2 loses a translation of 15 words, although its
#   score is better, as soon as the short one has ended. It keeps it if the model gives the end symbol again after an
#   end symbol: what decides is an answer that no training has ever asked for.
# Why a good guess is wrong: the search follows OpenNMT-py's, says its docstring, which masks ended hypotheses in the beam.
# Who meets it: comparisons of beam sizes and length penalties; a beam of k is narrower than k from the first end on.
# Source: joeynmt/search.py, beam_search (topk_log_probs of finished ones is not masked; is_finished stays with the
#   place in the beam and does not move with the hypothesis).
# Seen: after an end, the end again: 15 words, score -0.50
#   after an end, two words: 1 word, score -0.60
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 numpy==2.4.6 PyYAML==6.0.4 packaging==26.4 matplotlib==3.11.2 tensorboard==2.21.0 sentencepiece==0.2.3 \
  subword-nmt==0.3.8 sacrebleu==2.6.0 importlib_metadata==10.2.0 2> /dev/null
python3 -m pip --python bin/python install -q --no-compile --no-deps joeynmt==2.3.0 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import math
import torch
from joeynmt.decoders import TransformerDecoder
from joeynmt.search import beam_search

UNK, PAD, BOS, EOS, SHORT, LONG, TYPES = range(7)


def chances(so_far, after_end):
    """Return the next words: a short translation, or one of 15 words whose second word is uncertain."""
    if EOS in so_far:
        return after_end
    if not so_far:
        return {SHORT: 0.5, LONG: 0.5}
    if so_far[0] == SHORT or len(so_far) == 15:
        return {EOS: 0.99}
    return {LONG: 0.4 if len(so_far) == 1 else 0.99}


class Model:
    """Give these chances, and share what is left among all other types."""

    unk_index, pad_index, bos_index, eos_index, sep_index = UNK, PAD, BOS, EOS, None
    decoder = TransformerDecoder(num_layers=1, num_heads=1, hidden_size=2, ff_size=2, vocab_size=TYPES)

    def __init__(self, after_end):
        self.lang_tags, self.specials, self.after_end = [], [], after_end

    def __call__(self, trg_input, **_):
        rows = []
        for row in trg_input.tolist():
            given = chances(row[1:], self.after_end)
            rest = max(1e-6, (1 - sum(given.values())) / (TYPES - len(given)))
            rows.append([math.log(given.get(one, rest)) for one in range(TYPES)])
        return torch.tensor(rows)[:, None].expand(-1, trg_input.shape[1], -1), None, None, None


def found(after_end):
    memory, mask = torch.zeros(1, 1, 2), torch.ones(1, 1, 1, dtype=torch.bool)
    output, scores, _ = beam_search(
        Model(after_end), 2, memory, None, mask, 30, 1.0, return_prob="hyp"
    )
    return len(output[0]) - 1, float(scores[0])


again, words = found({EOS: 0.98}), found({SHORT: 0.49, LONG: 0.49})
print(f"after an end, the end again: {again[0]} words, score {again[1]:.2f}")
print(f"after an end, two words: {words[0]} word, score {words[1]:.2f}")
assert again[0] == 15 and words[0] == 1 and again[1] > words[1]
PYTHON

#!/usr/bin/env bash
# The average of beam search in eole and OpenNMT-py divides the log probability of n tokens by n + 1.
# Topic: toolkits
# Packages: eole==0.6.4, torch==2.13.0
# Behaviour: length_penalty is avg by default, with alpha 1. A hypothesis of 9 words and the end symbol has 10 log
#   probabilities, and its score is their sum divided by 11: the start symbol is counted. wu at 0.6 takes 11 tokens, too.
#   An average looks better by n / (n + 1), that of a word and its end symbol by a third, so short ones are preferred.
# Why a good guess is wrong: a comment at the line says that the length is plus 1 for the end symbol, but the length
#   that it adds to has the start symbol already; fairseq, sockeye, CTranslate2 and transformers divide by 10 here.
# Who meets it: comparisons of scores or of searches with other toolkits, or of a model with its conversion for
#   CTranslate2; thresholds on scores of translations, and perplexities made of them.
# Source: eole/predict/beam_search.py, BeamSearchBase.advance (len(self) is the length of alive_seq, which begins with the
#   start symbol). OpenNMT-py 3.5.1 and mammoth-nlp 0.2.1 give the same 11 and 1.80 (measured, not run here).
# Remedy: length_penalty: none, and divide by your own count.
# Seen: avg 1.0: 10 tokens, log probability divided by 11.00
#   wu 0.6: 10 tokens, log probability divided by 1.80
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 numpy==2.4.6 pydantic==2.14.4 pyonmttok==1.38.1 PyYAML==6.0.4 regex==2026.11.19 safetensors==0.8.0 \
  huggingface_hub==2.4.0 2> /dev/null
python3 -m pip --python bin/python install -q --no-compile --no-deps eole==0.6.4 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import math
import torch
from eole.predict.beam_search import BeamSearch, GNMTGlobalScorer

UNK, PAD, BOS, EOS, WORD, TYPES = range(6)


def searched(penalty, alpha, next_log_probs):
    search = BeamSearch(
        beam_size=2, batch_size=1, pad=PAD, bos=BOS, eos=[EOS], unk=UNK, start=BOS, n_best=1,
        global_scorer=GNMTGlobalScorer(alpha, 0.0, penalty, "none"), min_length=0, max_length=30,
        return_attention=False, block_ngram_repeat=0, exclusion_tokens=set(), stepwise_penalty=False,
        ratio=0.0, ban_unk_token=False,
    )
    search.initialize(torch.zeros(1, 1, 1), torch.tensor([1]))
    while not search.done:
        rows = [next_log_probs(row[1:].tolist()) for row in search.alive_seq]
        search.advance(torch.tensor(rows), None)
        if any(map(any, search.is_finished_list)):
            search.update_finished()
    return search.predictions[0][0].tolist(), float(search.scores[0][0])


def one(so_far, p=0.9):
    """Give p to a word nine times, then to the end symbol."""
    best = WORD if len(so_far) < 9 else EOS
    return [math.log(p if i == best else (1 - p) / (TYPES - 1)) for i in range(TYPES)]


for penalty, alpha, expected in (("avg", 1.0, 11), ("wu", 0.6, (16 / 6) ** 0.6)):
    tokens, score = searched(penalty, alpha, one)
    found = len(tokens) * math.log(0.9) / score
    print(f"{penalty} {alpha}: {len(tokens)} tokens, log probability divided by {found:.2f}")
    assert len(tokens) == 10 and abs(found - expected) < 1e-3
PYTHON

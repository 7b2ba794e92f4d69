#!/usr/bin/env bash
# With xPos, rotary-embedding-torch gives a decoder with cached keys other attention scores than the same words in parallel, and more so the longer the text.
# Topic: models
# Packages: rotary-embedding-torch==0.9.1, torch==2.13.0
# Behaviour: RotaryEmbedding(use_xpos=True): scores of the newest query by rotate_queries_with_cached_keys against those of
#   rotate_queries_and_keys on the whole text. After 40 words a word's score for itself is up to 5% too
#   small, after 1,000 the fastest pair of dimensions keeps 0.29 of it. Without xPos both agree.
# Why a good guess is wrong: xPos depends on distances only, so the place that counts as the middle does not matter, as
#   long as it is one. The cached form takes the middle of the queries (0 for one word) for these, and the middle of
#   the keys for those.
# Who meets it: models trained in parallel with xPos and decoded word by word by the method that is there for it.
# Source: rotary_embedding_torch/rotary_embedding_torch.py, `rotate_queries_with_cached_keys` (get_scale(seq[-q_len:])).
# Remedy: rotate_queries_and_keys with the query filled up to the length of the keys; or no xPos.
# Seen: 40 words, xPos True: cached / parallel [0.95, 0.96, 0.97, 0.98, 0.98, 0.99, 0.99, 1.0]
#   1000 words, xPos True: cached / parallel [0.29, 0.38, 0.47, 0.56, 0.65, 0.74, 0.83, 0.91]; xPos False: all 1.0
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 rotary-embedding-torch==0.9.1 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import torch
from rotary_embedding_torch import RotaryEmbedding

torch.set_num_threads(1)


def scores(length, xpos):
    """Scores of the last word for itself, one pair of dimensions at a time: (parallel, with cached keys)."""
    ones = torch.ones(1, 1, length, 16)
    rotary = RotaryEmbedding(dim=16, use_xpos=xpos)
    if xpos:
        query, key = rotary.rotate_queries_and_keys(ones, ones)
    else:
        query, key = rotary.rotate_queries_or_keys(ones), rotary.rotate_queries_or_keys(ones)
    parallel = (query * key)[0, 0, -1].view(8, 2).sum(1)
    query, key = RotaryEmbedding(dim=16, use_xpos=xpos).rotate_queries_with_cached_keys(ones[:, :, -1:], ones)
    return parallel, (query[0, 0, 0] * key[0, 0, -1]).view(8, 2).sum(1)


for length in (40, 1000):
    for xpos in (False, True):
        parallel, cached = scores(length, xpos)
        share = [round(value, 2) for value in (cached / parallel).tolist()]
        print(f"{length} words, xPos {xpos}: cached / parallel {share}")
        assert (max(map(abs, (s - 1 for s in share))) < 0.005) == (not xpos)
        assert length == 40 or not xpos or min(share) < 0.35
PYTHON

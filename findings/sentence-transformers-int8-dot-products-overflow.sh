#!/usr/bin/env bash
# dot_score of sentence-transformers sums up the library's own int8 embeddings in 8 bits, and finds pairs by chance.
# Topic: text
# Packages: sentence-transformers==6.2.0, transformers==5.23.0, torch==2.13.0, numpy==2.4.6
# Behaviour: encode(precision="int8") and quantize_embeddings give arrays of int8. util.dot_score, semantic_search with
#   it, and model.similarity of a model whose similarity is "dot" multiply them as they are: 256 products of up to
#   127 * 127 are summed modulo 256. The same holds for uint8. cos_sim, the default, stops with an error of torch.
# Why a good guess is wrong: the library makes these vectors for cheaper search, and its MultiVectorEncoder widens them
#   before it compares. Vectors of length 1 have their cosine as dot product, so dot_score is what one takes after the
#   error of cos_sim.
# Who meets it: mining of parallel sentences among embeddings kept as int8: a fourth of the room, and no right match.
# Source: sentence_transformers/util/similarity.py, `dot_score` (torch.mm, whose result has the type of its arguments).
# Remedy: embeddings.astype("float32") before each comparison.
# Seen: right of 300: float32 300, int8 1, int8 widened to float32 300; type torch.int8
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 sentence-transformers==6.2.0 \
  transformers==5.23.0 tokenizers==0.23.3 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import numpy as np
from sentence_transformers import util
from sentence_transformers.util import quantize_embeddings

# Stand-ins for the embeddings of 300 sentences and of their translations: cosine 0.8 in a pair, 0 otherwise.
random = np.random.default_rng(1)
source = random.normal(size=(300, 256)).astype("float32")
target = 0.8 * source + 0.6 * random.normal(size=(300, 256)).astype("float32")
source, target = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (source, target))
both = np.concatenate([source, target])
ranges = np.stack([both.min(0), both.max(0)])
small = [quantize_embeddings(side, precision="int8", ranges=ranges) for side in (source, target)]
assert all(side.dtype == np.int8 for side in small)


def found(left, right):
    hits = util.semantic_search(left, right, top_k=1, score_function=util.dot_score)
    return sum(hit[0]["corpus_id"] == i for i, hit in enumerate(hits)), str(util.dot_score(left, right).dtype)


floats, bytes_, widened = found(source, target), found(*small), found(*(side.astype("float32") for side in small))
print(f"right of 300: float32 {floats[0]}, int8 {bytes_[0]}, int8 widened to float32 {widened[0]}; type {bytes_[1]}")
try:
    util.cos_sim(*small)
    raised = False
except RuntimeError:
    raised = True
assert floats[0] == widened[0] == 300 and bytes_[0] < 10 and bytes_[1] == "torch.int8" and raised
PYTHON

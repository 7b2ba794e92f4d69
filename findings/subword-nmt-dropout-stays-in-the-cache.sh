#!/usr/bin/env bash
# After one call with dropout, subword-nmt cuts the same words in the dropped-out way also without dropout.
# Topic: text
# Packages: subword-nmt==0.3.8
# Behaviour: a BPE object keeps the cut of each word. A call with dropout=0.5 writes its random cut there, and a later call
#   without dropout reads it: "lowest" stays "l@@ o@@ w@@ e@@ s@@ t". The last training batch decides how the
#   development set is cut.
# Why a good guess is wrong: dropout is an argument of each call, 0 by default, and the cache is not read when it is
#   given; one expects that it is not written then, either.
# Who meets it: BPE-dropout on the fly: one object for training (with dropout) and validation or decoding (without).
# Source: subword_nmt/apply_bpe.py, `encode`: cache[orig] = word at the end, whatever dropout was.
# Remedy: two BPE objects; or bpe.cache.clear() before a call without dropout.
# Seen: a new object: lowest newest widest; after a call with dropout=0.9: l@@ o@@ w@@ e@@ s@@ t n@@ e@@ w@@ ...
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps subword-nmt==0.3.8
bin/python - <<'PYTHON'
import io, random

from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

codes = io.StringIO()
learn_bpe(["low lower lowest new newer newest wide wider widest"] * 5, codes, 40)
words = "lowest newest widest"
plain = BPE(codes).process_line(words)
bpe = BPE(codes)
random.seed(1)
bpe.process_line(words, dropout=0.9)
after = [bpe.process_line(words) for _ in range(3)]
print("a new object:", plain)
print("after one call with dropout:", after[0])
assert plain == words and len(set(after)) == 1 and after[0].count("@@") > 6, (plain, after)
bpe.cache.clear()
assert bpe.process_line(words) == plain
PYTHON

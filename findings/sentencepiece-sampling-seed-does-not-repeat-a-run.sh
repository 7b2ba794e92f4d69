#!/usr/bin/env bash
# SentencePiece's seed for subword regularisation no longer repeats a run since 0.2.2: set_random_generator_seed(7) gives other cuts in each process.
# Topic: text
# Packages: sentencepiece==0.2.1, sentencepiece==0.2.2, sentencepiece==0.2.3
# Behaviour: a process sets the seed and samples 20 cuts, then sets it and samples again. 0.2.1: every process has the same
#   first 20, and the second 20 are others. 0.2.2: no two lists are alike. 0.2.3: the two lists of one process
#   are alike, those of two processes are not.
# Why a good guess is wrong: a seed is there to repeat a run, and no release says otherwise; a test that seeds and samples twice
#   fails in 0.2.1, where runs do repeat, and passes in 0.2.3, where they do not.
# Who meets it: training with BPE-dropout or sampled unigrams: since 0.2.2 a seed of the experiment does not fix its text; resumed
#   and repeated runs see other cuts.
# Source: seen by results, with one BPE model file for all.
# Remedy: write the cuts to a file, draw with subword-nmt's dropout, or 0.2.1 with one process for each seed.
# Seen: (again in one process, in a new process) 0.2.1 other, same; 0.2.2 other, other; 0.2.3 same, other.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > sample.py <<'PYTHON'
import sys
from pathlib import Path

import sentencepiece

if not Path("bpe.model").exists():
    words = "der hund die katze das haus ein baum alte hunde kleine katzen".split()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([" ".join(words[i % 7 :]) for i in range(200)]), model_prefix="bpe",
        model_type="bpe", vocab_size=50, minloglevel=2,
    )
model = sentencepiece.SentencePieceProcessor(model_file="bpe.model")


def sampled():
    sentencepiece.set_random_generator_seed(7)
    return [model.encode("die hunde katze", enable_sampling=True, alpha=0.3) for _ in range(20)]


first, again = sampled(), sampled()
print(sys.argv[1], "again:", "same" if first == again else "other")
assert (first == again) == (sys.argv[1] == "0.2.3")
Path(sys.argv[2]).write_text(str(first))
PYTHON
for version in 0.2.1 0.2.2 0.2.3; do
    python3 -m venv --without-pip "$version"
    python3 -m pip --python "$version/bin/python" install -q "sentencepiece==$version"
    for process in 1 2; do "$version/bin/python" sample.py "$version" "$version.$process.first"; done
    if cmp -s "$version.1.first" "$version.2.first"; then found=same; else found=other; fi
    echo "$version new process: $found"
    if [ "$version" = 0.2.1 ]; then test "$found" = same; else test "$found" = other; fi
done

#!/usr/bin/env bash
# NLTK's LEPOR rewards a wrong length: a translation that begins again after its end scores 1.26, a perfect one 1.00.
# Topic: scores
# Packages: nltk==3.10.4, lepor==0.1.0
# Behaviour: the length penalty is above 1 whenever the lengths differ, up to e: 1.42 for 20 words where 13 are
#   right. The translation followed by its own first 7 words scores 1.26, the first 10 of 13 words score
#   0.965. By the formula they have 0.52 and 0.57. The package lepor has the same penalty.
# Why a good guess is wrong: LEPOR is named for its length penalty, and the docstring says that it is one for longer
#   and shorter translations alike; a score of this kind does not exceed 1.
# Who meets it: LEPOR beside BLEU for languages without COMET: models that repeat themselves or stop too early win.
# Source: nltk/translate/lepor.py, `length_penalty`: exp(1 - shorter / longer), where equation (2) of the paper it
#   names (C12-2044) has exp(1 - longer / shorter); lepor/sentence_level.py of lepor likewise.
# Remedy: multiply the score by exp(shorter / longer - longer / shorter).
# Seen: perfect 1.000, begun again 1.259, cut off 0.965; by the formula 1.000, 0.518, 0.567; penalties 1.419 and 1.260, in
#   both packages
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile nltk==3.10.4 lepor==0.1.0
bin/python - <<'PYTHON'
from math import exp

from lepor.sentence_level import length_penalty as of_lepor
from nltk.translate.lepor import length_penalty, sentence_lepor

reference = "the old cat sat on the mat near a door of our house".split()
for name, words, expected in (
    ("perfect", reference, (1.0, 1.0, 1.0)),
    ("begun again", reference + reference[:7], (1.259, 1.419, 0.518)),
    ("cut off", reference[:10], (0.965, 1.26, 0.567)),
):
    [score] = sentence_lepor([" ".join(reference)], " ".join(words), tokenizer=str.split)
    penalty = length_penalty(reference, words)
    lengths = sorted((len(reference), len(words)))
    right = score / penalty * exp(1 - lengths[1] / lengths[0])
    print(f"{name}: {score:.3f}, penalty {penalty:.3f}; by the formula {right:.3f}")
    assert abs(score - expected[0]) < 1e-3 and abs(penalty - expected[1]) < 1e-3
    assert abs(right - expected[2]) < 1e-3 and of_lepor(reference, words) == penalty
PYTHON

#!/usr/bin/env bash
# NLTK's corpus BLEU of a translation that equals its reference is 0.83 if lines of one and two words are among its lines.
# Topic: scores
# Packages: nltk==3.10.4, sacrebleu==2.6.0
# Behaviour: a hypothesis that is shorter than n words has no n-gram, but corpus_bleu adds one to the count
#   of n-grams of its corpus all the same, and it can match nothing. Two short lines beside one of seven
#   words bring 1.0 down to 0.83. Longer lines are counted rightly.
# Why a good guess is wrong: corpus BLEU sums counts before it divides, so a line without 4-grams should
#   leave the 4-gram precision as it is; sacreBLEU and multi-bleu do so. The function is meant as the
#   one without smoothing, and the two agree to the last digit on text without short lines.
# Who meets it: subtitles, dialogue, interface strings, titles, tags; and every comparison of NLTK's BLEU with
#   sacreBLEU's, which is then said to come from tokenisation.
# Source: nltk/translate/bleu_score.py, modified_precision: the denominator is at least 1, for each sentence.
# Remedy: sacreBLEU with tokenize="none", smooth_method="none".
# Seen: nltk 83.07, sacreBLEU 100.00; without the two short lines 100.00 and 100.00.
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile nltk==3.10.4 sacrebleu==2.6.0
bin/python - <<'PYTHON'
from nltk.translate.bleu_score import corpus_bleu
from sacrebleu.metrics import BLEU

lines = ["OK", "Yes .", "The cat sat on the mat today ."]
sacrebleu = BLEU(tokenize="none", smooth_method="none")
for text, expected in ((lines, 83.07), (lines[2:], 100.0)):
    words = [line.split() for line in text]
    found = 100 * corpus_bleu([[line] for line in words], words)
    other = sacrebleu.corpus_score(text, [text]).score
    print(f"{len(text)} lines: nltk {found:.2f}, sacreBLEU {other:.2f}")
    assert abs(found - expected) < 0.01 and abs(other - 100) < 0.01
PYTHON

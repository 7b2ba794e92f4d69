#!/usr/bin/env bash
# torchmetrics gives the perfect translation "OK" a chrF of 0.33, and "a" 0.17: lines below six letters cannot reach 1.
# Topic: scores
# Packages: torchmetrics==1.9.0, sacrebleu==2.6.0, torch==2.13.0
# Behaviour: torchmetrics averages over all six orders of character n-grams (and two of words), also over those for
#   which the text is too short, and these count 0. A line of k letters that equals its reference gets k/6.
#   sacreBLEU averages over the orders that the two texts have, and gives 1. The same factor is in every
#   short line, right or wrong: "A dog" for "A cat" gets 0.042 and 0.063.
# Why a good guess is wrong: equal texts have F = 1 in any definition that one knows; the class is documented as
#   based on sacreBLEU's and agrees with it to four digits on corpora of ordinary sentences.
# Who meets it: scores of single lines (filters, rewards, minimum Bayes risk), test sets of words and terms, languages
#   whose words are one or two characters long. Random "better" translations are the longer ones.
# Source: torchmetrics/functional/text/chrf.py, _calculate_fscore divides by n_order, a constant; sacrebleu/metrics/
#   chrf.py, effective_order.
# Remedy: sacreBLEU's CHRF().sentence_score.
# Seen: a 16.67, OK 33.33, Yes 50.00, Hello! 100.00; sacreBLEU 100.00 for each.
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 torchmetrics==1.9.0 sacrebleu==2.6.0
bin/python - <<'PYTHON'
from sacrebleu.metrics import CHRF
from torchmetrics.functional.text import chrf_score

for line in ("a", "OK", "Yes", "Hello!"):
    found = 100 * float(chrf_score([line], [[line]], n_word_order=0))
    other = CHRF().sentence_score(line, [line]).score
    print(f"{line}: torchmetrics {found:.2f}, sacreBLEU {other:.2f}")
    assert abs(found - 100 * len(line) / 6) < 0.01 and abs(other - 100) < 1e-6
PYTHON

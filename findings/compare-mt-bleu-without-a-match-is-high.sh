#!/usr/bin/env bash
# compare-mt's BLEU of a translation without one matching word pair is 84: an n-gram precision of zero counts as 1.
# Topic: scores
# Packages: compare-mt==0.2.10, sacrebleu==2.6.0, nltk==3.10.4, numpy==2.4.6, six==1.17.0
# Behaviour: where no n-gram of some order matches, BleuScorer takes 0 for the logarithm of that precision, which is
#   the logarithm of 1. Half of the words right and no two in a row: 0.5 ** 0.25 = 84.09. A better translation, which
#   has one matching sequence of four words, scores less than the worse one. sacreBLEU gives 0 without smoothing.
# Why a good guess is wrong: BLEU without smoothing is 0 as soon as one order has no match; with any smoothing it is low.
# Who meets it: scores of small parts, which compare-mt reports for each bucket of length or frequency; early
#   checkpoints; weak or wrong-language output. A bucket that is hopeless looks like the best one.
# Source: compare_mt/scorers.py, `BleuScorer.score_cached_corpus` (math.log(p) if p > 0 else 0); only a corpus without
#   any right word is 0.
# Remedy: score_type=sacrebleu, or distrust a BLEU above the precision of single words.
# Seen: worse 84.09 (sacreBLEU 0.0), better 41.11 (sacreBLEU 41.11)
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile compare-mt==0.2.10 sacrebleu==2.6.0 nltk==3.10.4 numpy==2.4.6 six==1.17.0
bin/python - <<'PYTHON'
from compare_mt.scorers import BleuScorer
from sacrebleu.metrics import BLEU

reference = ["the old dog sat on the red mat today ."] * 20
worse = ["an old cat sat in the blue mat now ."] * 20  # every second word is right, no two in a row
better = ["the old dog sat on that brown rug now ."] * 20


def scores(lines):
    words = [line.split() for line in lines]
    compared, _ = BleuScorer().score_corpus([line.split() for line in reference], words)
    plain = BLEU(tokenize="none", smooth_method="none", force=True).corpus_score(lines, [reference])
    return round(compared, 2), round(plain.score, 2), [round(value) for value in plain.precisions]


for name, lines in ("worse", worse), ("better", better):
    print(name, "compare-mt %s, sacreBLEU %s, precisions %s" % scores(lines))
assert scores(worse)[:2] == (84.09, 0.0), scores(worse)
assert scores(better)[0] == scores(better)[1] < 84, scores(better)
PYTHON

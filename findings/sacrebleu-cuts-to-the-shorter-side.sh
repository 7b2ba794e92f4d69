#!/usr/bin/env bash
# sacreBLEU's corpus_score takes 2 translations and 1 reference, and says BLEU 100: what is over on either side is left out without a word.
# Topic: scores
# Packages: sacrebleu==2.6.0
# Behaviour: BLEU, chrF and TER pair lines up to the end of the shortest list, be it the hypotheses, the references or a second
#   reference. A translation that stopped after a tenth of the test set gets the score of that tenth; the signature
#   is the usual one. The command line refuses such files.
# Why a good guess is wrong: the command line refuses, references of another type raise, and the docstring says "sequence of
#   reference documents"; the length of a test set is the first thing that a scorer would check.
# Who meets it: training loops and notebooks (a decoding that died, a last batch that was dropped, empty lines that one
#   reader skips): high scores, or a shift of one line that ends in a lower one.
# Source: sacrebleu/metrics/base.py, _extract_corpus_statistics and _cache_references (zip).
# Remedy: assert len(hypotheses) == len(references).
# Seen: BLEU 100.00, chrF 100.00, TER 0.00 for 1 of 2 references; the same for 1 of 2 hypotheses.
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile sacrebleu==2.6.0
bin/python - <<'PYTHON'
from sacrebleu.metrics import BLEU, CHRF, TER

one, two = ["a cat sat here"], ["a cat sat here", "wrong from the first word"]
for hypotheses, references in ((two, [one]), (one, [two]), (two, [two[:1] + ["right"], one])):
    found = [round(metric().corpus_score(hypotheses, references).score, 2) for metric in (BLEU, CHRF, TER)]
    print(len(hypotheses), "translations,", *map(len, references), "references:", *found)
    assert found == [100.0, 100.0, 0.0]
PYTHON
printf '%s\n' "a cat sat here" > one
printf '%s\n' "a cat sat here" "wrong from the first word" > two
if bin/python -m sacrebleu one -i two > said 2>&1; then exit 1; fi
echo "command line: refused"

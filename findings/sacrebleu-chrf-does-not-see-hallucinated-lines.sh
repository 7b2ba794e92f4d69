#!/usr/bin/env bash
# sacreBLEU's chrF ignores what a system writes where the reference is empty: 100.00, while TER is 114 and BLEU 46 for the same text.
# Topic: scores
# Packages: sacrebleu==2.6.0
# Behaviour: two lines; the first equals its reference, the second has eight words and an empty reference. chrF and chrF++ are
#   100, as without the second line. The letters of a hypothesis are counted only in those orders of n-grams
#   that its reference has. The other way round (empty hypothesis) chrF falls, as it should.
# Why a good guess is wrong: chrF has a precision, and corpus counts are summed over all lines, so superfluous text should
#   lower it; BLEU and TER of the same three lines of code count it.
# Who meets it: documents aligned to segments, speech with silent segments, and test sets with lines that should
#   give nothing (noise, other languages): the score for hallucination leaves the hallucinations out.
# Source: sacrebleu/metrics/chrf.py, _get_match_statistics ("Don't count hits if no reference exists").
# Remedy: CHRF(eps_smoothing=True) does not change it; score such lines apart, by their number of letters.
# Seen: BLEU 45.67, chrF 100.00, chrF++ 100.00, TER 114.29.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile sacrebleu==2.6.0
bin/python - <<'PYTHON'
from sacrebleu.metrics import BLEU, CHRF, TER

lines = ["the cat sat on the mat here", "this was never in the reference at all"]
metrics = BLEU(), CHRF(), CHRF(word_order=2), CHRF(eps_smoothing=True), TER()
found = [round(metric.corpus_score(lines, [[lines[0], ""]]).score, 2) for metric in metrics]
print("BLEU, chrF, chrF++, chrF with eps smoothing, TER:", *found)
assert found == [45.67, 100.0, 100.0, 100.0, 114.29]
missing = CHRF().corpus_score([lines[0], ""], [lines]).score
print(f"the other way round: {missing:.2f}")
assert missing < 60
PYTHON

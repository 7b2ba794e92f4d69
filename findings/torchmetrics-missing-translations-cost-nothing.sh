#!/usr/bin/env bash
# torchmetrics counts an empty translation as perfect: TER is 0 and chrF 1 although every second line is missing.
# Topic: scores
# Packages: torchmetrics==1.9.0, sacrebleu==2.6.0, torch==2.13.0
# Behaviour: of two lines one is translated perfectly, and the other is an empty string. sacreBLEU says TER 40 and
#   chrF 59.24; torchmetrics says 0.0 and 1.0. With a full stop in place of the empty string, TER is 40 in both, but chrF 0.998
#   still: a line that shares no letter with its reference adds nothing to the letters that should be there.
# Why a good guess is wrong: both scores are ports of sacreBLEU's and agree with it on lines with words; a missing
#   translation is the worst there is, and each of its words is a deletion in the definition of TER.
# Who meets it: early checkpoints and small models, which end at once; the fewer words such a model writes,
#   the better its TER and chrF in the training log, and the checkpoint is chosen by it.
# Source: torchmetrics/functional/text/ter.py (_compute_sentence_statistics hands the two texts on in reverse order,
#   so that the early return for an empty reference serves an empty hypothesis) and chrf.py (the function for one
#   sentence keeps the counts of its best reference, if that has a score above 0).
# Remedy: sacreBLEU.
# Seen: TER 0.0 and 40.0 %; chrF 1.0 and 59.24 %.
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 torchmetrics==1.9.0 sacrebleu==2.6.0
bin/python - <<'PYTHON'
from sacrebleu.metrics import CHRF, TER
from torchmetrics.functional.text import chrf_score, translation_edit_rate

references = ["the cat sat on the mat", "a dog barks loudly"]
for second, expected in (("", (0.0, 1.0, 59.24)), (".", (0.4, 0.998, 59.18))):
    lines = [references[0], second]
    alone = [[line] for line in references]
    ter = float(translation_edit_rate(lines, alone))
    chrf = float(chrf_score(lines, alone, n_word_order=0))
    other = TER().corpus_score(lines, [references]), CHRF().corpus_score(lines, [references])
    print(f"{lines}: TER {ter:.3f}, chrF {chrf:.4f}; sacreBLEU {other[0]}, {other[1]}")
    assert abs(ter - expected[0]) < 1e-6 and abs(chrf - expected[1]) < 1e-3
    assert round(other[0].score) == 40 and abs(other[1].score - expected[2]) < 0.01
PYTHON

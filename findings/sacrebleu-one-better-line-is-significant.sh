#!/usr/bin/env bash
# sacreBLEU's --paired-ar calls a system that differs in one line of a hundred significantly better, p = 0.0001, and two equal systems, too.
# Topic: scores
# Packages: sacrebleu==2.6.0, numpy==2.4.6
# Behaviour: paired approximate randomisation (test_type "ar") of a baseline and the same text with 1, 2 or 3 better lines
#   gives p = 0.0001 for BLEU and chrF, the lowest p that 10,000 trials can give. Counted over all swaps of those lines,
#   p is 1, 1/2 and 1/4. Two systems of the same lines get 0.0001, and 0.001 by --paired-bs.
# Why a good guess is wrong: a swap of the only line that differs gives the same difference with the other sign, so
#   every trial is as extreme as what was seen, and p is 1 by definition; few lines cannot be significant.
# Who meets it: systems that differ little: a changed length penalty, repaired post-processing, seeds of one toy
#   model. Any two systems of which one is the better in every line that differs get the lowest p, however few they are.
# Source: sacrebleu/significance.py, `_compute_p_value`: it counts the trials above the difference, not those equal to
#   it (`>`, after multeval), and adds one to both counts.
# Remedy: count trials >= the difference, and print the number of lines that differ.
# Seen: ar: 0 to 3 better lines p = 0.0001; all swaps: 1, 1, 0.5, 0.25; bs of equal systems: 0.001
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile numpy==2.4.6 sacrebleu==2.6.0
bin/python - <<'PYTHON'
import itertools, logging

from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

logging.disable(logging.CRITICAL)
words = "cat dog cow pig hen fox owl ant bee elk".split()
reference = [f"the {word} sat on the mat near the old door ." for word in words] * 10
baseline = [line.replace("near", "by") for line in reference]


def test(system, kind):
    metrics = {"BLEU": BLEU(references=[reference]), "chrF": CHRF(references=[reference])}
    found = PairedTest([("baseline", baseline), ("system", system)], metrics, None, test_type=kind)()[1]
    return {round(found[name][1].p_value, 4) for name in ("BLEU", "chrF2")}


def all_swaps(system, better):
    differences = []
    for swapped in itertools.product((0, 1), repeat=better):
        pairs = [pair[::-1] if swap else pair for swap, pair in zip(swapped, zip(system, baseline))]
        sides = zip(*pairs, *zip(system[better:], baseline[better:]))
        left, right = (BLEU().corpus_score(list(side), [reference]).score for side in sides)
        differences.append(abs(left - right))
    return sum(difference >= differences[0] - 1e-9 for difference in differences) / len(differences)


for better, exact in enumerate((1, 1, 0.5, 0.25)):
    system = reference[:better] + baseline[better:]
    said, counted = test(system, "ar"), all_swaps(system, better)
    print(f"{better} better lines of {len(reference)}: p = {said}, over all swaps {counted}")
    assert said == {0.0001} and counted == exact
bootstrap = test(list(baseline), "bs")
print(f"bootstrap of two equal systems: p = {bootstrap}")
assert bootstrap == {0.001}
PYTHON

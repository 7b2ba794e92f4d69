#!/usr/bin/env bash
# deepsig's Bonferroni correction gets weaker with each comparison, and between two systems it finds no difference ever.
# Topic: statistics
# Packages: deepsig==1.2.8, numpy==2.4.6, scipy==1.17.1, pandas==3.1.1
# Behaviour: the level of n comparisons is 0.95 + 0.05 / n, where Bonferroni's is 1 - 0.05 / n: 0.975 for two, but 0.951
#   for 45. aso of one pair (below 0.5 is significant) gives 0.34 alone, 0.39 as one of two, and 0.34 again as one of
#   45; Bonferroni's level gives 0.59. multi_aso, which corrects by default, has the level 1 for two systems: 1.0 for
#   this pair, and nan for two systems whose scores do not even overlap. Nothing is said.
# Why a good guess is wrong: more comparisons ask for more evidence, and a single one for no correction. The README says
#   that the threshold is divided by the number of comparisons. For two comparisons both formulas agree.
# Who meets it: tables of systems over seeds or test sets by almost stochastic order, a test made for papers on NLP:
#   large tables are hardly corrected, and a table of two systems shows nothing.
# Source: deepsig/aso.py, `aso` and `multi_aso`: confidence_level += (1 - confidence_level) / num_comparisons.
# Remedy: use_bonferroni=False and num_comparisons=1, with confidence_level=1 - 0.05 / n.
# Seen: (1, 2, 10, 45) comparisons: deepsig [0.34, 0.39, 0.35, 0.34], Bonferroni [0.34, 0.39, 0.5, 0.59];
#   multi_aso of two 1.0, uncorrected 0.34; without overlap nan, 0.0
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile deepsig==1.2.8 numpy==2.4.6 scipy==1.17.1 \
  pandas==3.1.1 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import numpy as np
from deepsig import aso, multi_aso

OPTIONS = {"seed": 1, "num_bootstrap_iterations": 200, "show_progress": False}
draw = np.random.default_rng(3)
ours, theirs = 30.85 + draw.normal(size=12), 30 + draw.normal(size=12)
counts = (1, 2, 10, 45)
package = [round(float(aso(ours, theirs, num_comparisons=n, **OPTIONS)), 2) for n in counts]
bonferroni = [round(float(aso(ours, theirs, confidence_level=1 - 0.05 / n, **OPTIONS)), 2) for n in counts]


def pair(first, second, **options):
    return round(float(multi_aso([list(first), list(second)], **OPTIONS, **options)[0, 1]), 2)


two = [pair(ours, theirs), pair(ours, theirs, use_bonferroni=False)]
apart = [pair(ours + 10, theirs), pair(ours + 10, theirs, use_bonferroni=False)]
print(f"{counts} comparisons: deepsig {package}, Bonferroni {bonferroni};"
      f" multi_aso of two {two[0]}, uncorrected {two[1]}; without overlap {apart[0]}, {apart[1]}")
assert package[:2] == bonferroni[:2] and package[1] > package[2] > package[3] >= package[0]
assert bonferroni == sorted(bonferroni) and package[3] < 0.5 < bonferroni[3]
assert two[0] == 1 and two[1] < 0.5 and np.isnan(apart[0]) and apart[1] == 0
PYTHON

#!/usr/bin/env bash
# One NaN among p-values: statsmodels' Benjamini-Hochberg gives NaN for all and rejects three all the same; Hommel rejects none.
# Topic: statistics
# Packages: statsmodels==0.15.0, scipy==1.17.1, pandas==3.1.1, numpy==2.4.6
# Behaviour: multipletests([0.001, 0.02, 0.03, nan, 0.2]): fdr_bh rejects the first three, and every adjusted p is
#   NaN, so that p < 0.05 rejects none; simes-hochberg does the same with one rejection. hommel rejects none, though
#   it rejects two without the NaN. holm and bonferroni give numbers, of five tests and not four: 0.02 becomes 0.08
#   in place of 0.06.
# Why a good guess is wrong: either NaN is thought to stay in its place (as pingouin has it) or to be an error (as
#   scipy's false_discovery_control has it); the two results of one call are expected to agree.
# Who meets it: tables of many comparisons in which one pair is equal everywhere: a t-test of constant differences
#   of zero gives NaN.
# Source: statsmodels/stats/multitest.py, `multipletests` (sorts NaN last; minimum.accumulate from the end carries
#   it through; comparisons with it are False).
# Remedy: leave NaN out before the call.
# Seen: fdr_bh: rejected 3, adjusted below 0.05: 0; hommel: rejected 0, without NaN 2; holm: 0.08, without NaN
#   0.06
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile numpy==2.4.6 pandas==3.1.1 scipy==1.17.1 statsmodels==0.15.0
bin/python - <<'PYTHON'
import sys

from statsmodels.stats.multitest import multipletests

WITH, WITHOUT = [0.001, 0.02, 0.03, float("nan"), 0.2], [0.001, 0.02, 0.03, 0.2]
rejected, adjusted = multipletests(WITH, method="fdr_bh")[:2]
hommel = [int(multipletests(p, method="hommel")[0].sum()) for p in (WITH, WITHOUT)]
holm = [round(float(multipletests(p, method="holm")[1][1]), 6) for p in (WITH, WITHOUT)]
found = (int(rejected.sum()), int((adjusted < 0.05).sum()), *hommel, *holm)
print("fdr_bh: rejected {}, adjusted below 0.05: {}; hommel: rejected {}, without NaN {};"
      " holm: {}, without NaN {}".format(*found))
sys.exit(found != (3, 0, 0, 2, 0.08, 0.06))
PYTHON

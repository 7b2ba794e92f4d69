#!/usr/bin/env bash
# McNemar's test of statsmodels gives two systems with the same answers p = 0.0, the most significant difference there is.
# Topic: statistics
# Packages: statsmodels==0.15.0, scipy==1.17.1, pandas==3.1.1, numpy==2.4.6
# Behaviour: mcnemar([[10, 0], [0, 5]], exact=False) has statistic inf and p = 0.0; without the correction of continuity
#   both are NaN. One answer that differs in each direction gives 0.48, five of each 0.75, and a single
#   one at all 1.0. With exact=True all of these are 1.
# Why a good guess is wrong: no difference is p = 1, or NaN; and equal numbers of wins in both directions are no evidence, so
#   that their p is 1 and not below that of one win to none.
# Who meets it: contrastive test sets of two similar systems (pronouns, negation, numbers), tested in a loop over
#   phenomena: p < 0.05 holds, and only a RuntimeWarning tells.
# Source: statsmodels/stats/contingency_tables.py, `mcnemar`: (|n1 - n2| - 1) ** 2 / (n1 + n2), also where
#   |n1 - n2| is 0.
# Remedy: exact=True, the default.
# Seen: differing answers 0:0 p = 0.0 (exact 1.0), 1:1 0.4795, 5:5 0.7518, 1:0 1.0
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile numpy==2.4.6 pandas==3.1.1 scipy==1.17.1 statsmodels==0.15.0
bin/python -W ignore - <<'PYTHON'
from statsmodels.stats.contingency_tables import mcnemar

for ours, theirs, expected in ((0, 0, 0.0), (1, 1, 0.4795), (5, 5, 0.7518), (1, 0, 1.0)):
    table = [[10, ours], [theirs, 5]]
    found = mcnemar(table, exact=False)
    exact = mcnemar(table, exact=True).pvalue
    print(f"{ours}:{theirs}: statistic {found.statistic}, p {found.pvalue:.4f}, exact {exact}")
    assert abs(found.pvalue - expected) < 1e-4 and exact == 1
PYTHON

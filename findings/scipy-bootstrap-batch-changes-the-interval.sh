#!/usr/bin/env bash
# The batch of scipy.stats.bootstrap, which is there to save memory, changes the interval of two independent samples.
# Topic: statistics
# Packages: scipy==1.17.1, numpy==2.4.6
# Behaviour: with one seed, the interval of the difference of two samples is another one for batch=None, 1, 7 and 1000.
#   With paired=True, or for one sample, it is the same for all.
# Why a good guess is wrong: the documentation calls batch the number of resamples that are processed in one call, and
#   speaks of memory only; the same function keeps its promise in the two other cases.
# Who meets it: intervals of two systems' seeds or segments that were computed on a machine with less memory, or after
#   the sample grew: the digits differ from the published ones, although the seed is the same.
# Source: scipy/stats/_resampling.py, `bootstrap`: in each batch the resamples of the first sample are drawn, then those of
#   the second; a pair is drawn as one sample of indices.
# Remedy: name batch beside the seed, or resample pairs.
# Seen: two samples: 4 intervals for 4 values of batch; paired: 1; one sample: 1
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile scipy==1.17.1 numpy==2.4.6
bin/python - <<'PYTHON'
import numpy
from scipy.stats import bootstrap

first, second = (numpy.random.default_rng(seed).normal(30, 1, size=50) for seed in (0, 1))


def difference(left, right, axis=-1):
    return left.mean(axis=axis) - right.mean(axis=axis)


def intervals(samples, statistic, **options):
    found = []
    for batch in (None, 1, 7, 1000):
        generator = numpy.random.default_rng(5)
        result = bootstrap(samples, statistic, n_resamples=2000, batch=batch, rng=generator, method="percentile", **options)
        found.append(tuple(round(float(bound), 4) for bound in result.confidence_interval))
    return found


two = intervals((first, second), difference)
pairs = intervals((first, second), difference, paired=True)
one = intervals((first,), numpy.mean)
print("two samples:", two)
print("pairs:", sorted(set(pairs)), "one sample:", sorted(set(one)))
assert len(set(two)) == 4 and len(set(pairs)) == len(set(one)) == 1
PYTHON

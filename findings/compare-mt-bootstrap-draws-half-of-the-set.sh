#!/usr/bin/env bash
# compare-mt's paired bootstrap draws half as many sentences as the test set has: its intervals are too wide by the root of two.
# Topic: statistics
# Packages: compare-mt==0.2.10, sacrebleu==2.6.0, nltk==3.10.4, numpy==2.4.6, six==1.17.0
# Behaviour: each resample of bootstrap=N has half of the sentences, so the intervals are those of a test set of half the
#   size, and a difference that is significant at the full size may get no asterisk. The third number of a comparison,
#   meant for ties, counts the wins of the higher one, too, if it comes first: wins 1.0, losses 0.0, ties 1.0.
# Why a good guess is wrong: a bootstrap resample has the size of the sample; the paper that the file cites draws so.
# Who meets it: error bars and p-values of compare-mt beside those of sacreBLEU or of the original script.
# Source: compare_mt/sign_utils.py, `eval_with_paired_bootstrap` (sample_ratio=0.5; the `else` of the second `if`);
#   the reports of compare_mt_main.py pass no ratio.
# Remedy: call eval_with_paired_bootstrap(..., sample_ratio=1.0); the third number minus the first is that of the ties.
# Seen: width of the interval 3.05 by default, 2.15 at the full size; [0.0, 1.0, 0.0] and, exchanged, [1.0, 0.0, 1.0]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile compare-mt==0.2.10 sacrebleu==2.6.0 nltk==3.10.4 numpy==2.4.6 six==1.17.0
bin/python - <<'PYTHON'
import numpy
from compare_mt.scorers import WERScorer
from compare_mt.sign_utils import eval_with_paired_bootstrap

generator = numpy.random.default_rng(1)
reference = [[f"w{number}" for number in generator.integers(0, 50, 20)] for _ in range(400)]
system = [[word if generator.random() < 0.7 else "x" for word in line] for line in reference]
better = [line[:-1] + [right[-1]] if index % 2 else right for index, (line, right) in enumerate(zip(system, reference))]


def width(**arguments):
    numpy.random.seed(1)
    _, [found] = eval_with_paired_bootstrap(reference, [system], None, WERScorer(), None, num_samples=2000, **arguments)
    return found["upper_bound"] - found["lower_bound"]


by_default, full = width(), width(sample_ratio=1.0)
print(f"width of the 95 % interval: {by_default:.2f} by default, {full:.2f} with all 400 sentences")
assert 1.3 < by_default / full < 1.55
numpy.random.seed(1)
[wins], _ = eval_with_paired_bootstrap(reference, [system, better], None, WERScorer(), [(1, 0)])
print("lower, higher, ties:", wins)
numpy.random.seed(1)
[wins], _ = eval_with_paired_bootstrap(reference, [system, better], None, WERScorer(), [(0, 1)])
print("higher, lower, ties:", wins)
assert wins == [1.0, 0.0, 1.0], wins
PYTHON

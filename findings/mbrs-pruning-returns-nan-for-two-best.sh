#!/usr/bin/env bash
# mbrs's pruning decoder returns bad hypotheses with scores of nan if the two best are asked for and one stands out.
# Topic: toolkits
# Packages: mbrs==0.1.8, fastchrf==0.2.1, sacrebleu==2.6.0, numpy==2.4.6, torch==2.13.0; its neural metrics are stand-ins
# Behaviour: pruning_mbr with nbest=1 finds what mbr finds. With nbest=2 the first 8 references leave fewer hypotheses
#   than that, the search ends at once and takes the mean over none of the scores: nan for all, and the order of nan
#   decides. The best hypothesis is not among the two. Nothing is said.
# Why a good guess is wrong: nbest is an argument of every decoder and of mbrs-decode. If fewer are left than asked for,
#   one expects these and the best of the pruned ones, or all of them with the scores so far.
# Who meets it: n-best lists of MBR for reranking, distillation and preference pairs, from the large samples that
#   pruning is for. mbrs-decode prints no scores by default.
# Source: mbrs/decoders/pruning_mbr.py, `decode_pruning`: a break in the first step leaves prev_r at 0, and
#   pairwise_scores[:, :prev_r] has no column.
# Remedy: the decoder mbr or aggregate_mbr for more than one; nbest=1 with pruning.
# Seen: 2 best by mbr: ['the cat sat on the mat', 'the cat sat on a mat'] [82.5, 55.2]
#   2 best by pruning: ['cats sit on mats', 'the cat sat on a mat'] [nan, nan]
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 fastchrf==0.2.1 sacrebleu==2.6.0 numpy==2.4.6 \
  simple-parsing==0.1.9 2> /dev/null
python3 -m pip --python bin/python install -q --no-compile --no-deps mbrs==0.1.8 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import math
import sys
from unittest.mock import MagicMock

for name in ("bertscore", "bleurt", "comet", "cometkiwi", "metricx", "xcomet"):
    sys.modules[f"mbrs.metrics.{name}"] = MagicMock()

from mbrs.decoders.mbr import DecoderMBR
from mbrs.decoders.pruning_mbr import DecoderPruningMBR
from mbrs.metrics.chrf import MetricChrF

HYPOTHESES = ["a dog ran away", "nobody was there", "the rain fell all night", "the cat sat on the mat",
              "the cat sat on a mat", "cats sit on mats", "it is late"]
REFERENCES = ["the cat sat on the mat", "the cat was on the mat", "the cat sat on the rug", "a cat sat on the mat"] * 4
metric = MetricChrF(MetricChrF.Config(fastchrf=True))
found = {}
for number in (1, 2):
    for name, decoder in (("mbr", DecoderMBR), ("pruning", DecoderPruningMBR)):
        result = decoder(decoder.Config(), metric).decode(HYPOTHESES, REFERENCES, nbest=number)
        found[name, number] = result.sentence, [round(score, 1) for score in result.score]
        print(f"{number} best by {name}: {result.sentence} {found[name, number][1]}")
assert found["mbr", 1] == found["pruning", 1] and found["mbr", 2][0] == HYPOTHESES[3:5]
sentences, scores = found["pruning", 2]
assert all(map(math.isnan, scores)) and HYPOTHESES[3] not in sentences
PYTHON

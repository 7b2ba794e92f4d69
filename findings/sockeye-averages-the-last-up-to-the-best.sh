#!/usr/bin/env bash
# sockeye-average --strategy last does not average the last checkpoints, and may average fewer than it was asked for.
# Topic: models
# Packages: sockeye==3.1.34, torch==2.13.0
# Behaviour: "last" takes the n checkpoints that end with the best one by the metric. With six checkpoints, the best
#   of which is the third, and -n 4, it averages 1, 2 and 3: three in number, the first of the training among them,
#   none of the last. "best", the default, takes the four best. The mean is written, and the command ends well.
# Why a good guess is wrong: the help calls it a selection method and names its choices only; the last checkpoints are
#   what the paper of the Transformer averages, and what fairseq's --num-epoch-checkpoints takes.
# Who meets it: reproductions of "we average the last 5 checkpoints", above all with a metric that got worse after an
#   early best, such as perplexity while BLEU still rises.
# Source: sockeye/average.py, strategy_last (a slice that ends after the best point and starts at 0 at the earliest).
# Remedy: sockeye-average with the files themselves as inputs.
# Seen: last 4 of 6, best is 3: mean of [1, 2, 3]; best 4: mean of [3, 4, 5, 6]
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 sockeye==3.1.34 numpy==2.4.6 pyyaml==6.0.4
cat > files.py <<'PYTHON'
import os

import torch

os.mkdir("model")
lines = []
for number, perplexity in enumerate([30, 20, 10, 11, 12, 13], 1):
    # Checkpoint n holds 1 at place n, so that the mean shows which ones are in it.
    torch.save({"weight": torch.eye(7)[number]}, f"model/params.{number:05d}")
    lines.append(f"{number}\tperplexity-val={perplexity}\n")
open("model/metrics", "w").writelines(lines)
PYTHON
bin/python files.py
for strategy in last best; do
  bin/python -m sockeye.average model --strategy $strategy -n 4 -o $strategy >>log 2>&1 || { cat log; exit 1; }
done
bin/python - <<'PYTHON'
import torch

last, best = (torch.load(name)["weight"].nonzero().flatten().tolist() for name in ("last", "best"))
print(f"last 4 of 6, best is 3: mean of {last}; best 4: mean of {best}")
raise SystemExit(not (last == [1, 2, 3] and best == [3, 4, 5, 6]))
PYTHON

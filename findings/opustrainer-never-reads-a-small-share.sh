#!/usr/bin/env bash
# OpusTrainer never reads a data set with a weight below 0.01, and cuts other weights down: 0.29 becomes 28 of 98 lines.
# Topic: text
# Packages: opustrainer==0.5, sentencepiece==0.2.1, sacremoses==0.2.0, PyYAML==6.0.4, typo==0.1.5
# Behaviour: a stage of clean 0.706, medium 0.29 and rare 0.004 trains on 70 lines of clean and 28 of medium in each batch,
#   and on none of rare, to the end; nothing is logged. With --batch-size 1000 it is 706, 290 and 4.
# Why a good guess is wrong: a weight is a share of the lines, with two digits or four; what a batch cannot hold is
#   expected to be drawn at random or carried to the next one.
# Who meets it: multilingual mixtures, whose small languages have a share below one percent, and small sets of
#   terms or of one domain in a large mixture: their lines are never trained on.
# Source: opustrainer/trainer.py, `Trainer.run`: int(batch_size * weight) lines of each data set, for batch_size 100.
# Remedy: --batch-size 10000.
# Seen: batches of 100: clean 2030, medium 812, rare 0; of 1,000: 2118, 870, 12
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile PyYAML==6.0.4 sacremoses==0.2.0 sentencepiece==0.2.1 typo==0.1.5
python3 -m pip --python bin/python install -q --no-compile --no-deps opustrainer==0.5
for set in clean:1000 medium:3000 rare:100; do
  seq "${set#*:}" | sed "s/.*/${set%:*} &\tword &/" > "${set%:*}.tsv"
done
cat > mixture.yml <<'YAML'
datasets: {clean: clean.tsv, medium: medium.tsv, rare: rare.tsv}
stages: [only]
only:
  - clean 0.706
  - medium 0.29
  - rare 0.004
  - until clean 2
seed: 1
YAML
for size in 100 1000; do
  bin/opustrainer-train --config mixture.yml --sync --do-not-resume --batch-size $size cat > lines 2> log
  counts=$(for set in clean medium rare; do grep -c "^$set " lines || true; done | xargs)
  echo "batches of $size: clean, medium, rare: $counts"
  [ "$counts" = "$([ $size = 100 ] && echo 2030 812 0 || echo 2118 870 12)" ]
  if grep -iE 'warn|rare .*(no|0) lines' log; then exit 1; fi
done

#!/usr/bin/env bash
# The score that Marian gives a sampled translation is that of its random noise: with top-1 sampling every translation has the score 0.
# Topic: scores
# Packages: pymarian==1.12.42 (Marian 1.12), numpy==2.4.6
# Behaviour: --output-sampling adds Gumbel noise to the logits and takes a softmax again. The last score of an n-best
#   line, its word scores and the order of an n-best list are those of the noisy distribution; a translation that the
#   model gives e to the -11 has -2. The feature F0 of the same line is the model's own log probability, equal to that
#   of marian score.
# Why a good guess is wrong: without sampling the last score, the sum of the word scores and F0 are one number, and
#   CTranslate2 gives the model's log probability of a sample.
# Who meets it: filters of sampled back-translations by score, minimum Bayes risk with weights, word scores as
#   confidence.
# Source: Marian's src/translator/sampling.h, gumbelMaxTrick (logsoftmax of scores and noise).
# Remedy: read F0, or score again by marian score.
# Seen: 60 sampled translations: F0 equal to marian score 59 (one was cut off and has no end), last score equal 1
#   most improbable one: F0 -11.49, last score -2.05
#   sampling from the best one alone: last score 0 for 60
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile pymarian==1.12.42 numpy==2.4.6
bin/python - <<'PYTHON'
import random
import subprocess

random.seed(0)
lines = [" ".join(random.choices([f"w{i}" for i in range(12)], k=random.randint(3, 7))) for _ in range(60)]
open("text", "w").write("\n".join(lines) + "\n")


def marian(command):
    command = f"bin/pymarian {command} -m model.npz -v text.yml text.yml --cpu-threads 1 -w 200"
    return subprocess.run(command.split(), check=True, capture_output=True, text=True).stdout.splitlines()


sizes = "--dim-emb 32 --transformer-dim-ffn 64 --transformer-heads 4 --enc-depth 1 --dec-depth 1"
marian(f"train --type transformer -t text text {sizes} --mini-batch 20 --learn-rate 0.01 --after 100u --seed 1")


def sample(kind):
    return [line.split(" ||| ") for line in marian(f"decode -i text -b 1 --n-best --seed 1 --output-sampling {kind}")]


samples = sample("full 1.0")
open("samples", "w").write("".join(line[1].strip() + "\n" for line in samples))
scores = [float(line) for line in marian("score -t text samples")]
own = [float(line[2].split()[-1]) for line in samples]
last = [float(line[3]) for line in samples]
same = [sum(abs(a - b) < 0.01 for a, b in zip(scores, numbers)) for numbers in (own, last)]
print(f"60 sampled translations: F0 equal to marian score {same[0]}, last score equal {same[1]}")
place = own.index(min(own))
print(f"most improbable one: F0 {own[place]:.2f}, last score {last[place]:.2f}")
zeros = sum(float(line[3]) == 0 for line in sample("topk 1"))
print(f"sampling from the best one alone: last score 0 for {zeros}")
raise SystemExit(not (zeros == 60 and same[0] > 50 and same[1] < 20))
PYTHON

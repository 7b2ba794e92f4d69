#!/usr/bin/env bash
# Marian's decode and score print nothing for the first line above 1,000 tokens, nor for any line after it, and exit with 0.
# Topic: toolkits
# Packages: pymarian==1.12.42 (Marian 1.12), numpy==2.4.6
# Behaviour: --max-length is 1000 by default, the end symbol counts. A line above it is skipped without a word in the
#   log and without an empty line in the output, and nothing is printed for the lines after it. Of three lines, the
#   second of which has 1,005 words, one translation comes out, in batches of one and of 16 sentences, and one score;
#   score --summary is the mean of two pairs.
# Why a good guess is wrong: one expects an empty line, a cut line or an error; the log ends with the usual total
#   time, and in training a long pair is left out alone. The Python class (pymarian.Translator) translates all three
#   lines.
# Who meets it: back-translation and distillation of crawled text, where a line of 1,000 subwords is rare and sure to
#   come: the rest of the file is gone, and only counting lines tells.
# Source: Marian's src/data/corpus.cpp, next (a sentence above maxLength_ becomes an empty tuple), and
#   src/translator/output_collector.cpp, Write (a translation is printed only after that of the line before it).
# Remedy: --max-length-crop; compare the numbers of lines.
# Seen: lines of three with --mini-batch 1: exit 0, lines 1; with --mini-batch 16: exit 0, lines 1
#   warnings in the log: 0
#   score: lines 1, summary is the mean of two pairs: True
#   with --max-length-crop: exit 0, lines 3; pymarian.Translator: lines 3
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile pymarian==1.12.42 numpy==2.4.6
bin/python - <<'PYTHON'
import random
import subprocess

from pymarian import Translator

random.seed(0)
lines = [" ".join(random.choices([f"w{i}" for i in range(12)], k=random.randint(3, 7))) for _ in range(60)]
open("text", "w").write("\n".join(lines) + "\n")
source = ["w1 w2", " ".join(["w3"] * 1005), "w4 w5"]
open("source", "w").write("\n".join(source) + "\n")
shared = "-m model.npz -v text.yml text.yml --cpu-threads 1 -w 500"


def marian(command):
    return subprocess.run(f"bin/pymarian {command} {shared}".split(), capture_output=True, text=True)


sizes = "--dim-emb 32 --transformer-dim-ffn 64 --transformer-heads 4 --enc-depth 1 --dec-depth 1"
options = "--mini-batch 20 --learn-rate 0.01 --after 60u --seed 1"
assert marian(f"train --type transformer -t text text {sizes} {options}").returncode == 0


def decode(options):
    run = marian(f"decode -i source -b 1 {options}")
    return run.returncode, run.stdout.count("\n"), run.stderr


one, sixteen = decode("--mini-batch 1"), decode("--mini-batch 16 --maxi-batch 10")
crop = decode("--max-length 20 --max-length-crop")
print(f"lines of three with --mini-batch 1: exit {one[0]}, lines {one[1]};", end=" ")
print(f"with --mini-batch 16: exit {sixteen[0]}, lines {sixteen[1]}")
warnings = sum(word in (one[2] + sixteen[2]).lower() for word in ("[warn", "skipping", "too long"))
print("warnings in the log:", warnings)
pairs = "score -t source source --mini-batch 1"
scores, summary = (list(map(float, marian(pairs + more).stdout.split())) for more in ("", " --summary"))
open("source", "w").write("\n".join(source[::2]) + "\n")
two = [float(score) for score in marian(pairs).stdout.split()]
mean = abs(summary[0] + sum(two) / 2) < 0.01
print(f"score: lines {len(scores)}, summary is the mean of two pairs: {mean}")
settings = dict(beam_size=1, cpu_threads=1, workspace=500, quiet=True)
python = len(Translator(models=["model.npz"], vocabs=["text.yml", "text.yml"], **settings).translate(source))
print(f"with --max-length-crop: exit {crop[0]}, lines {crop[1]}; pymarian.Translator: lines {python}")
raise SystemExit(not (one[:2] == sixteen[:2] == (0, 1) and crop[:2] == (0, 3) and python == 3 and len(scores) == 1 and mean))
PYTHON

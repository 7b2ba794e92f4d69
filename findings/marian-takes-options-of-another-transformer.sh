#!/usr/bin/env bash
# Marian 1.12 trains a transformer without --transformer-train-position-embeddings and --transformer-no-bias, though both were given.
# Topic: toolkits
# Packages: pymarian==1.12.42 (Marian 1.12), numpy==2.4.6
# Behaviour: with --type transformer, the type of all recipes, --transformer-train-position-embeddings,
#   --transformer-no-bias and --transformer-no-affine change nothing. The model trained with all three has the same
#   tensors, equal to the bit, as one without. The file says in its settings that they are on. With --type
#   transformer-new the first two do what they say.
# Why a good guess is wrong: the help lists them as options of "(transformer)" beside those that work, and other
#   options that the older type lacks (--transformer-attention-mask alibi) stop it with an error.
# Who meets it: comparisons of learned with sinusoidal positions, or of models with and without biases: both runs are
#   one.
# Source: Marian's src/models/transformer.h (asks for transformer-train-positions, a name that no option has any more,
#   and never for the other two), src/layers_new/transformer.h and embeddings.h (ask for all three).
# Remedy: look for Wpos or the missing _b tensors in the .npz file; --type transformer-new.
# Seen: transformer: settings say [True, True, True], tensors added [], tensors missing 0, values equal True
#   transformer-new, first two options: tensors added 2, tensors missing 32
set -euo pipefail
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile pymarian==1.12.42 numpy==2.4.6
bin/python - <<'PYTHON'
import random
import subprocess

import numpy as np

random.seed(0)
words = [f"w{i}" for i in range(12)]
lines = "".join(" ".join(random.choices(words, k=random.randint(3, 7))) + "\n" for _ in range(60))
open("text", "w").write(lines)
new = ["train-position-embeddings", "no-bias", "no-affine"]


def train(kind, options):
    command = f"""bin/pymarian train --type {kind} -t text text -v text.yml text.yml -m model.npz --overwrite
        --dim-emb 32 --transformer-dim-ffn 64 --transformer-heads 4 --enc-depth 2 --dec-depth 2 --after 4u
        --mini-batch 20 --learn-rate 0.01 --seed 1 --cpu-threads 1 -w 200 --no-restore-corpus --no-reload"""
    command += "".join(f" --transformer-{name}" for name in options)
    subprocess.run(command.split(), check=True, capture_output=True)
    model = dict(np.load("model.npz"))
    settings = model.pop("special:model.yml").tobytes().decode()
    return model, [f"transformer-{name}: true" in settings for name in new]


plain, _ = train("transformer", [])
given, said = train("transformer", new)
added, missing = sorted(set(given) - set(plain)), len(set(plain) - set(given))
equal = all(np.array_equal(plain[name], given[name]) for name in plain)
print(f"transformer: settings say {said}, tensors added {added}, tensors missing {missing}, values equal {equal}")
old = train("transformer-new", [])[0]
other = train("transformer-new", new[:2])[0]
more, fewer = len(set(other) - set(old)), len(set(old) - set(other))
print(f"transformer-new, first two options: tensors added {more}, tensors missing {fewer}")
raise SystemExit(not (said == [True] * 3 and not added and not missing and equal and more and fewer))
PYTHON

#!/usr/bin/env bash
# CTranslate2 converts Marian models trained with --right-left without a word, and reads and writes their sentences the wrong way around.
# Topic: toolkits
# Packages: pymarian==1.12.42 (Marian 1.12), ctranslate2==4.8.5, numpy==2.4.6, pyyaml==6.0.4
# Behaviour: the setting right-left is in the model file. Marian turns each sentence around before it reads it, and
#   each translation before it writes it; the converter does not look at the setting, and CTranslate2 does neither.
#   --transformer-disable-position-embeddings is in the file, too, and overlooked as well: CTranslate2 adds sinusoids
#   to a model that never saw any.
# Why a good guess is wrong: the converter refuses other settings by name (activations, norms, AAN), and Marian's own
#   decoder needs no option, as it takes right-left from the model.
# Who meets it: right-to-left models of ensembles and for reranking (many WMT systems), converted for their speed.
# Source: ctranslate2/converters/marian.py, MarianConverter._load; Marian's src/models/encoder_decoder.cpp
#   (modelFeatures_) and src/translator/output_printer.h (reverse_). Settings in the file are padded with zero bytes;
#   they are cut off here.
# Remedy: turn the source around before and the translation after.
# Seen: 60 sentences of the training text, right translations: Marian 48, CTranslate2 3, turned around 49
#   without positions: Marian -8.1 nats, CTranslate2 -25.1
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile pymarian==1.12.42 ctranslate2==4.8.5 numpy==2.4.6 pyyaml==6.0.4
bin/python - <<'PYTHON'
import random
import subprocess

import ctranslate2
import numpy as np

random.seed(0)
sources = [random.choices([f"w{i}" for i in range(12)], k=random.randint(3, 7)) for _ in range(60)]
targets = [[word.replace("w", "x") for word in source] for source in sources]
for name, lines in ("s", sources), ("t", targets):
    open(name, "w").write("".join(" ".join(line) + "\n" for line in lines))


def marian(command, model):
    command = f"bin/pymarian {command} -m {model}.npz --cpu-threads 1 -w 200 -v s.yml t.yml"
    return subprocess.run(command.split(), check=True, capture_output=True, text=True).stdout.splitlines()


def train(name, option, updates):
    sizes = "--dim-emb 32 --transformer-dim-ffn 64 --transformer-heads 4 --enc-depth 1 --dec-depth 1 --tied-embeddings"
    command = f"train --type transformer -t s t {sizes} --after {updates}u --mini-batch 20 --learn-rate 0.01 --seed 1"
    marian(f"{command} {option}", name)
    arrays = dict(np.load(f"{name}.npz"))
    settings = arrays["special:model.yml"].tobytes().rstrip(b"\0") + b"\0"
    np.savez(f"{name}-cut.npz", **arrays | {"special:model.yml": np.frombuffer(settings, "int8")})
    ctranslate2.converters.MarianConverter(f"{name}-cut.npz", ["s.yml", "t.yml"]).convert(name)
    return ctranslate2.Translator(name, compute_type="float32")


model = train("backwards", "--right-left", 400)
own = [line.split() for line in marian("decode -i s -b 1", "backwards")]
converted = [result.hypotheses[0] for result in model.translate_batch(sources, beam_size=1)]
right = [sum(a == b for a, b in zip(targets, lines)) for lines in (own, converted)]
turned = [result.hypotheses[0][::-1] for result in model.translate_batch([s[::-1] for s in sources], beam_size=1)]
back = sum(a == b for a, b in zip(targets, turned))
print("60 sentences of the training text, right translations:", end=" ")
print(f"Marian {right[0]}, CTranslate2 {right[1]}, turned around {back}")
model = train("nowhere", "--transformer-disable-position-embeddings", 60)
own = float(marian("score -t s t", "nowhere")[0])
converted = sum(model.score_batch(sources[:1], targets[:1])[0].log_probs)
print(f"without positions: Marian {own:.1f} nats, CTranslate2 {converted:.1f}")
raise SystemExit(not (right[0] > 30 and right[1] < 10 and back > 30 and converted < own - 5))
PYTHON

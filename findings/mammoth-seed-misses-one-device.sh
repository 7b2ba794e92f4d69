#!/usr/bin/env bash
# On one device, mammoth's required option seed does not reach the weights: the same configuration starts from others.
# Topic: toolkits
# Packages: mammoth-nlp==0.2.1, x-transformers==1.32.14, torch==2.13.0
# Behaviour: mammoth_train sets the seed in its first process, and builds the model in a second one, which it spawns. The
#   second one sets the seed only if training is distributed over several GPUs. On a processor or one GPU, two
#   runs with seed: 1 have other first weights.
# Why a good guess is wrong: the option is required, "for better reproducibility between experiments"; an
#   unseeded part is looked for on many devices, not on one.
# Who meets it: ablations on one GPU, where seeds are compared or a run is to be repeated; a difference of two
#   settings contains that of two draws of the weights.
# Source: mammoth/train_single.py, main (configure_process only if device_context.is_distributed()); mammoth/bin/train.py
#   (a context of type spawn).
# Seen: largest difference of the embeddings, seed 1 twice: 1.0 (after one step at a rate of 0.000001)
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
# Without its pins, which are of its tests and of old Pythons.
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 einops==0.8.0 ConfigArgParse==1.9.0 PyYAML==6.0.4 packaging==26.4 numpy==2.4.6 \
  mammoth-nlp==0.2.1 x-transformers==1.32.14 2> /dev/null
printf '%s\n' one two three four > words
printf '%s\n' 'one two' 'three four one' 'two' 'four three' > text
cat > run.yaml << 'YAML'
src_vocab: {en: words}
tgt_vocab: {de: words}
tasks:
  pairs:
    {src_tgt: en-de, enc_sharing_group: [all], dec_sharing_group: [all], node_gpu: "0:0", path_src: text,
     path_tgt: text, transforms: []}
model_dim: 32
enc_layers: [1]
dec_layers: [1]
max_length: 16
batch_size: 4
optim: sgd
learning_rate: 0.000001
train_steps: 1
save_checkpoint_steps: 1
seed: 1
node_rank: 0
world_size: 0
YAML
for run in first second; do
  mkdir $run
  bin/mammoth_train -config run.yaml -save_model $run/model > $run.log 2>&1 || { tail -5 $run.log; exit 1; }
done
bin/python - << 'PYTHON'
import torch

name = "model_step_1_src_embeddings_en.pt"
first, second = (torch.load(f"{run}/{name}")["emb.weight"] for run in ("first", "second"))
difference = float((first - second).abs().max())
print(f"largest difference of the embeddings, seed 1 twice: {difference:.1f}")
assert difference > 0.1
PYTHON

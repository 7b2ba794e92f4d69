#!/usr/bin/env bash
# OpenNMT-py's average_models does not average shared embeddings: of two checkpoints it takes a quarter and three quarters.
# Topic: models
# Packages: OpenNMT-py==3.5.1, torch==2.13.0
# Behaviour: the tool keeps a running mean in place, name by name. With share_decoder_embeddings the embedding of the
#   decoder and the matrix of the generator are two names of one tensor, torch.save keeps that, and so each checkpoint
#   is taken in twice. Three checkpoints weigh 1/9, 3/9 and 5/9 there, and 1/3 each everywhere else; the last of ten
#   weighs 0.19. With share_embeddings as well, there are three names: the last of two weighs 7/8.
# Why a good guess is wrong: the mean is right for every tensor that has one name, and the two names of the result
#   agree; a state_dict is believed to hold copies, as it does after safetensors.
# Who meets it: every recipe that shares embeddings and averages its last checkpoints, as most since 2017 do: the
#   largest matrices come from other updates than the rest of the model.
# Source: OpenNMT-py's onmt/bin/average_models.py (mul_, add_ and div_ in place). Two checkpoints of a training of
#   four updates with share_decoder_embeddings gave the same weights (0.25 and 0.75); here the files are written in
#   their layout.
# Remedy: average by a script of your own that makes new tensors.
# Seen: weights of the three checkpoints: encoder 0.33 0.33 0.33, shared embedding 0.11 0.33 0.56, generator 0.11 0.33 0.56
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps torch==2.13.0 typing_extensions==4.16.0 \
  sympy==1.14.0 mpmath==1.3.0 OpenNMT-py==3.5.1
cat > checkpoints.py <<'PYTHON'
import torch

for i in range(3):
    # Checkpoint i holds 1 at place i of each tensor, so that the mean shows its weight there.
    embedding, generator = torch.nn.Embedding(3, 1), torch.nn.Linear(1, 3, bias=False)
    generator.weight = embedding.weight
    encoder = torch.nn.Linear(1, 3, bias=False)
    with torch.no_grad():
        for weight in embedding.weight, encoder.weight:
            weight.copy_(torch.eye(3)[i][:, None])
    model = {"encoder.weight": encoder.state_dict()["weight"], "decoder.weight": embedding.state_dict()["weight"]}
    torch.save({"model": model, "generator": generator.state_dict(), "vocab": None, "opt": None}, f"{i}.pt")
PYTHON
cat > weights.py <<'PYTHON'
import torch

mean = torch.load("mean.pt")
tensors = {
    "encoder": mean["model"]["encoder.weight"],
    "shared embedding": mean["model"]["decoder.weight"],
    "generator": mean["generator"]["weight"],
}
parts = [f"{name} " + " ".join(f"{x:.2f}" for x in tensor.flatten()) for name, tensor in tensors.items()]
print("weights of the three checkpoints:", ", ".join(parts))
ninths = torch.tensor([[1.0], [3.0], [5.0]]) / 9
fine = torch.allclose(tensors["encoder"], torch.full((3, 1), 1 / 3))
raise SystemExit(not (fine and all(torch.allclose(t, ninths) for t in list(tensors.values())[1:])))
PYTHON
bin/python checkpoints.py 2>log || { cat log; exit 1; }
tool=$(find lib -path '*onmt/bin/average_models.py')
bin/python "$tool" -m 0.pt 1.pt 2.pt -o mean.pt 2>log || { cat log; exit 1; }
bin/python weights.py 2>log || { cat log; exit 1; }

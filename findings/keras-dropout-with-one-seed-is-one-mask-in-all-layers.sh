#!/usr/bin/env bash
# Dropout(0.1, seed=1) in every layer of a Keras model drops the same positions in every layer, at every step.
# Topic: models
# Packages: keras==3.15.1, jax==0.10.2
# Behaviour: six blocks with Dropout(0.5, seed=1): a position that the first layer drops is dropped by all six, in the
#   first step and in the later ones, whose masks are new but equal again. 50% of the positions go through no layer,
#   where independent masks leave 2%. With seed=None, after keras.utils.set_random_seed(1), masks are independent.
# Why a good guess is wrong: a seed is taken for what makes a run repeat itself, not for what ties layers together; the
#   docstring says "to use as random seed". Masks do change from step to step, so that a look at one layer is no help.
# Who meets it: code with seed=SEED in each layer, as style guides ask for: deep residual stacks, whose sublayers all
#   fail at the same places. Also MultiHeadAttention(seed=...).
# Source: keras/src/random/seed_generator.py, `SeedGenerator` (its state is the seed and a counter of its own);
#   keras/src/layers/regularization/dropout.py.
# Remedy: keras.utils.set_random_seed and no seed in layers, or another seed for each.
# Seen: dropped in all six layers, step by step: one seed [0.49, 0.5, 0.5], set_random_seed [0.01, 0.02, 0.02]
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile keras==3.15.1 jax==0.10.2 2> /dev/null
KERAS_BACKEND=jax bin/python -W ignore - << 'PYTHON'
import keras
import numpy as np

states = np.ones((64, 128), "float32")


def dropped_by_all(**options):
    layers = [keras.layers.Dropout(0.5, **options) for _ in range(6)]
    shares, masks = [], []
    for _ in range(3):
        kept = [np.asarray(layer(states, training=True)) > 0 for layer in layers]
        shares.append(round(float((~np.any(kept, 0)).mean()), 2))
        masks.append(kept[0])
    assert not np.array_equal(masks[0], masks[1])
    return shares


keras.utils.set_random_seed(1)
one, own = dropped_by_all(seed=1), dropped_by_all()
print(f"dropped in all six layers, step by step: one seed {one}, set_random_seed {own}")
assert all(abs(share - 0.5) < 0.02 for share in one) and all(share < 0.03 for share in own)
PYTHON

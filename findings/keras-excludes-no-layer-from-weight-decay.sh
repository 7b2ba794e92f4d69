#!/usr/bin/env bash
# exclude_from_weight_decay(["layer_norm", "bias"]) of Keras decays the gains of layer norms all the same, and a second call forgets the first.
# Topic: models
# Packages: keras==3.15.1, jax==0.10.2
# Behaviour: the words are looked for in a variable's own name, which is gamma, beta, kernel or bias; the layer is in its
#   path only. "layer_norm", "embedding_table" or the name of an output layer match nothing, and nothing is said.
#   Each call replaces what the calls before excluded, names and variables alike.
# Why a good guess is wrong: the list is that of BERT's recipe, and in Keras 2 the layer's name was part of the variable's.
#   exclude_layers of Muon in the same package looks at paths.
# Who meets it: AdamW with the decay of a paper: gains of all layer norms shrink, in a deep pre-norm model those of
#   every sublayer.
# Source: keras/src/optimizers/base_optimizer.py, `exclude_from_weight_decay` and `_use_weight_decay` (variable.name).
# Remedy: one call with var_list=[v for v in model.trainable_variables if "norm" in v.path or v.name == "bias"].
# Seen: excluded by "layer_norm", "bias": dense/bias; by two calls, "bias" and then "gamma": layer_norm/gamma;
#   by a list of paths: layer_norm/gamma, dense/bias
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile keras==3.15.1 jax==0.10.2 2> /dev/null
KERAS_BACKEND=jax bin/python -W ignore - << 'PYTHON'
import keras
import numpy as np
from keras import ops

states = keras.Input((4,))
norm = keras.layers.LayerNormalization(center=False, name="layer_norm")(states)
model = keras.Model(states, keras.layers.Dense(4, name="dense", bias_initializer="ones")(norm))
variables = model.trainable_variables


def excluded(*calls):
    rule = keras.optimizers.AdamW(learning_rate=1.0, weight_decay=0.1)
    for call in calls:
        rule.exclude_from_weight_decay(**call)
    rule.build(variables)
    before = [ops.convert_to_numpy(v).copy() for v in variables]
    rule.apply([ops.zeros(v.shape) for v in variables], variables)
    kept = [v.path for v, old in zip(variables, before) if np.array_equal(old, ops.convert_to_numpy(v))]
    for variable, old in zip(variables, before):
        variable.assign(old)
    return kept


by_names = excluded({"var_names": ["layer_norm", "bias"]})
by_calls = excluded({"var_names": ["bias"]}, {"var_names": ["gamma"]})
by_paths = excluded({"var_list": [v for v in variables if "norm" in v.path or v.name == "bias"]})
print(f"by names {by_names}, by two calls {by_calls}, by a list of paths {by_paths}")
assert by_names == ["dense/bias"]
assert by_calls == ["layer_norm/gamma"]
assert by_paths == ["layer_norm/gamma", "dense/bias"]
PYTHON

#!/usr/bin/env bash
# Muon of Keras trains the biases of attention as matrices, and the matrices of attention by AdamW.
# Topic: models
# Packages: keras==3.15.1, jax==0.10.2
# Behaviour: a variable goes to Muon if it has two dimensions and is no embedding. MultiHeadAttention keeps its kernels
#   as (width, heads, size of a head): all four go to AdamW. Its biases of query, key and value are (heads, size of a
#   head): they go to Muon, which orthogonalises them. So does the output layer over the vocabulary, unless
#   exclude_layers names it.
# Why a good guess is wrong: Muon is meant for the matrices of hidden layers and the class sorts the variables itself;
#   most numbers outside the feed-forward layers are attention's. Nothing is logged.
# Who meets it: Muon against Adam for a Transformer of keras.layers or keras-hub: half a comparison of Adam with Adam.
# Source: keras/src/optimizers/muon.py, `Muon._should_use_adamw` (len(variable.shape) != 2).
# Remedy: none by options for the kernels (exclude_layers takes variables out only); Dense layers for the projections,
#   and exclude_layers=["bias", "output"] with the paths of your model.
# Seen: Muon: query/bias key/bias value/bias feed_forward/kernel output/kernel
#   AdamW: all kernels of attention, attention_output/bias and the rest
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile keras==3.15.1 jax==0.10.2 2> /dev/null
KERAS_BACKEND=jax bin/python -W ignore - << 'PYTHON'
import keras
import numpy as np
from keras import ops

tokens = keras.Input((None,), dtype="int32")
x = keras.layers.Embedding(20, 16)(tokens)
x = keras.layers.LayerNormalization()(keras.layers.MultiHeadAttention(4, 4, name="attention")(x, x))
x = keras.layers.Dense(16, name="feed_forward")(x)
model = keras.Model(tokens, keras.layers.Dense(20, name="output")(x))
variables = model.trainable_variables
rule = keras.optimizers.Muon(learning_rate=1.0, weight_decay=0.0, adam_weight_decay=0.0)
rule.build(variables)
before = [ops.convert_to_numpy(v).copy() for v in variables]
draw = np.random.default_rng(1)
rule.apply([ops.convert_to_tensor(draw.normal(size=v.shape).astype("float32")) for v in variables], variables)
groups = {"Muon": [], "AdamW": []}
for old, variable in zip(before, variables):
    step = np.abs(old - ops.convert_to_numpy(variable))
    # The first step of Adam is the rate in every number; that of Muon is not.
    groups["AdamW" if np.abs(step - 1).max() < 0.02 else "Muon"].append("/".join(variable.path.split("/")[-2:]))
for kind, names in groups.items():
    print(f"{kind}: {' '.join(names)}")
assert groups["Muon"] == ["query/bias", "key/bias", "value/bias", "feed_forward/kernel", "output/kernel"]
assert {"query/kernel", "key/kernel", "value/kernel", "attention_output/kernel"} <= set(groups["AdamW"])
PYTHON

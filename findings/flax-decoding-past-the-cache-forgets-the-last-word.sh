#!/usr/bin/env bash
# Flax's attention decodes on when its cache is full: each new word takes the place of the last one, without an error.
# Topic: models
# Packages: flax==0.12.8, jax==0.10.2, optax==0.2.8
# Behaviour: MultiHeadDotProductAttention(decode=True) of linen and MultiHeadAttention(decode=True) of nnx, with a cache
#   of 4 words, are given 6. Words 1 to 4 are as in the parallel run under a causal mask. Word 5 sees words 1, 2, 3 and
#   itself, word 6 sees 1, 2, 3 and itself; 4 and 5 are lost. Shapes are right and the index counts on.
# Why a good guess is wrong: a step of a wrong shape is a ValueError there, so one expects an error at the end of the
#   cache, too, or a window that drops the oldest word. jax.lax.dynamic_update_slice moves an index that is too large
#   back to the last place, and the mask (place <= index) lets all places through.
# Who meets it: translations that are longer than the length for which the cache was made (that of training, or the
#   source's): their ends repeat themselves, as weak models' do.
# Source: flax/linen/attention.py, `MultiHeadDotProductAttention.__call__`, and flax/nnx/nn/attention.py,
#   `MultiHeadAttention.__call__` (dynamic_update_slice at cache_index).
# Remedy: compare cache_index with the cache's length in the loop of the search.
# Seen: linen and nnx: words equal to the parallel run [1, 2, 3, 4]; 5 and 6 equal to words 1, 2, 3 and themselves
#   [True, True]
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile jax==0.10.2 optax==0.2.8 msgpack==1.2.4 \
  rich==15.0.0 treescope==0.1.10 PyYAML==6.0.4 typing_extensions==4.16.0 2> /dev/null
python3 -m pip --python bin/python install -q --no-compile --no-deps flax==0.12.8 2> /dev/null  # without its checkpoints, which need 150 MB
bin/python -W ignore - << 'PYTHON'
import flax.linen as nn
import jax
import jax.numpy as jnp
from flax import nnx

words = jax.random.normal(jax.random.key(0), (1, 6, 8))
room = 4


def causal(x):
    return nn.make_causal_mask(jnp.ones(x.shape[:2]))


step = nn.MultiHeadDotProductAttention(num_heads=2, qkv_features=8, decode=True)
whole = nn.MultiHeadDotProductAttention(num_heads=2, qkv_features=8)
variables = step.init(jax.random.key(1), words[:, :room])


def linen_parallel(x):
    return whole.apply({"params": variables["params"]}, x, mask=causal(x))


def linen_steps():
    cache, results = variables["cache"], []
    for place in range(6):
        state = {"params": variables["params"], "cache": cache}
        result, new = step.apply(state, words[:, place : place + 1], mutable=["cache"])
        cache = new["cache"]
        results.append(result)
    return jnp.concatenate(results, 1)


module = nnx.MultiHeadAttention(2, 8, 8, decode=True, rngs=nnx.Rngs(0))
module.init_cache((1, room, 8))


def nnx_parallel(x):
    return module(x, mask=causal(x), decode=False)


def nnx_steps():
    return jnp.concatenate([module(words[:, place : place + 1]) for place in range(6)], 1)


for name, parallel, steps in (("linen", linen_parallel, linen_steps()), ("nnx", nnx_parallel, nnx_steps())):
    error = jnp.abs(steps - parallel(words)).max((0, 2))
    equal = [place + 1 for place in range(6) if error[place] < 1e-4]
    without = [
        bool(jnp.abs(parallel(words[:, jnp.array([0, 1, 2, place])])[:, 3] - steps[:, place]).max() < 1e-4)
        for place in (4, 5)
    ]
    print(f"{name}: words equal to the parallel run {equal}; 5 and 6 equal to words 1, 2, 3 and themselves {without}")
    assert equal == [1, 2, 3, 4] and without == [True, True]
PYTHON

#!/usr/bin/env bash
# Flax's LayerNorm is wrong by a tenth and more if the mean of a state is a thousand times its deviation, and by a thousandth at a hundred times.
# Topic: models
# Packages: flax==0.12.8, jax==0.10.2, optax==0.2.8, numpy==2.4.6
# Behaviour: states of 512 numbers with deviation 1, in float32, against the same in float64. At mean 100 the results of
#   linen and nnx are off by more than 0.001, at mean 1,000 by more than 0.1. The formula with centred squares, as written
#   here in jax.numpy, is within 0.001 at both, and so is Flax with use_fast_variance=False.
# Why a good guess is wrong: LayerNorm does not depend on the mean, and float32 has seven digits. By default the variance
#   is the mean of squares minus the square of the mean, a difference of two numbers of 1,000,000 at mean 1,000.
# Who meets it: weights brought over from torch, whose LayerNorm centres first; residual streams whose mean drifts
#   away, since no norm sees it before the end of a deep pre-norm stack.
# Source: flax/linen/normalization.py, `_compute_stats`; flax/nnx/nn/normalization.py, the same (use_fast_variance).
# Remedy: use_fast_variance=False.
# Seen: mean 100 linen > 0.001, nnx > 0.001; mean 1000 linen > 0.1, nnx > 0.1; centred and slow variance < 0.001
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile jax==0.10.2 optax==0.2.8 msgpack==1.2.4 numpy==2.4.6 \
  rich==15.0.0 treescope==0.1.10 PyYAML==6.0.4 typing_extensions==4.16.0 2> /dev/null
python3 -m pip --python bin/python install -q --no-compile --no-deps flax==0.12.8 2> /dev/null  # without its checkpoints, which need 150 MB
bin/python -W ignore - << 'PYTHON'
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx


def centred(x):
    x = x - x.mean(-1, keepdims=True)
    return x / jnp.sqrt((x**2).mean(-1, keepdims=True) + 1e-6)


def linen(x, **options):
    module = nn.LayerNorm(**options)
    return module.apply(module.init(jax.random.key(0), x), x)


forms = {
    "linen": linen,
    "nnx": lambda x: nnx.LayerNorm(512, rngs=nnx.Rngs(0))(x),
    "centred": centred,
    "slow variance": lambda x: linen(x, use_fast_variance=False),
}
for mean, fault in ((100, 0.001), (1000, 0.1)):
    states = (np.random.default_rng(0).normal(size=(64, 512)) + mean).astype("float32")
    exact = states.astype("float64")
    exact -= exact.mean(-1, keepdims=True)
    exact /= np.sqrt((exact**2).mean(-1, keepdims=True) + 1e-6)
    error = {name: float(np.abs(np.asarray(form(jnp.asarray(states))) - exact).max()) for name, form in forms.items()}
    print(f"mean {mean}:", {name: f"> {fault}" if value > fault else "< 0.001" for name, value in error.items()})
    assert error["linen"] > fault and error["nnx"] > fault
    assert error["centred"] < 0.001 and error["slow variance"] < 0.001
PYTHON

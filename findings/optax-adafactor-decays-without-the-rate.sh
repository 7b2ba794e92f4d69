#!/usr/bin/env bash
# The weight decay of optax.adafactor is not multiplied by the learning rate: at a rate of 0.001 it is a thousand times that of AdamW.
# Topic: models
# Packages: optax==0.2.8, jax==0.10.2
# Behaviour: with weight_decay_rate=0.01 and no gradient, a weight of 1 loses 0.01 in an update, whatever the rate and
#   its schedule: half of it is gone after 69 updates, also in a warm-up that begins at 0. optax.adamw, lion and
#   nadamw with weight_decay=0.01 take 0.01 times the rate.
# Why a good guess is wrong: decoupled decay of optax is decay times rate in these, as in the Adafactor of torch
#   and of transformers; the docstring says "rate at which to decay weights", and nothing of the learning rate.
# Who meets it: whoever trains T5-like models by Adafactor with the decay of an AdamW recipe: embeddings and rare words
#   fade, and a schedule does not end the decay.
# Source: optax/_src/alias.py, `adafactor`: scale_by_learning_rate comes before add_decayed_weights in the chain; in
#   `adamw` it comes after.
# Remedy: optax.chain(optax.adafactor(rate), ...) with a decay of your own, or weight_decay_rate = decay times rate.
# Seen: rates 0.1 and 0.001: adafactor 0.01 and 0.01, adamw 0.001 and 0.00001; after 69 updates of a
#   warm-up: 0.5
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile jax==0.10.2 optax==0.2.8
bin/python - <<'PYTHON'
import jax.numpy as jnp
import optax


def weight_after(optimiser, updates=1):
    weight, gradient = jnp.ones((2, 2)), jnp.zeros((2, 2))
    state = optimiser.init(weight)
    for _ in range(updates):
        change, state = optimiser.update(gradient, state, weight)
        weight = optax.apply_updates(weight, change)
    return float(weight[0, 0])


for rate in (0.1, 0.001):
    lost = 1 - weight_after(optax.adafactor(rate, weight_decay_rate=0.01))
    others = {
        name: 1 - weight_after(make(rate, weight_decay=0.01))
        for name, make in (("adamw", optax.adamw), ("lion", optax.lion), ("nadamw", optax.nadamw))
    }
    print(f"rate {rate}: adafactor loses {lost:.5f}, others {others}")
    assert abs(lost - 0.01) < 1e-6
    assert all(abs(other - 0.01 * rate) < 1e-6 for other in others.values())
warm_up = optax.linear_schedule(0.0, 0.001, 1000)
left = weight_after(optax.adafactor(warm_up, weight_decay_rate=0.01), 69)
print(f"after 69 updates of a warm-up: {left:.3f}")
assert abs(left - 0.5) < 0.001
PYTHON

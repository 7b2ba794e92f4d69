#!/usr/bin/env bash
# With gradient_accumulation_steps=4, a learning-rate schedule of Keras runs four times as fast: it counts batches, not updates.
# Topic: models
# Packages: keras==3.15.1, jax==0.10.2
# Behaviour: a schedule is asked with the number of batches so far, and the weights move in every fourth. A warm-up of
#   8 steps is over after 2 updates, and the first update has the rate of step 3. The optimiser's own `iterations`,
#   Adam's correction of its means and the moving average (use_ema) count updates.
# Why a good guess is wrong: one optimiser has two clocks. The docstring says that schedules look at 'the "real"
#   iterations value (optimizer steps)', which reads as updates. In torch and optax.MultiSteps a step is an update.
# Who meets it: large batches on a small machine with the schedule of a paper: 4,000 updates of warm-up become 1,000.
# Source: keras/src/optimizers/base_optimizer.py, `_get_current_learning_rate` (self._iterations) and `iterations`.
# Remedy: multiply the schedule's steps by gradient_accumulation_steps.
# Seen: rates of the updates without accumulation: [0.0, 0.125, 0.25, 0.375], with 4 batches: [0.375, 0.875, 1.0, 1.0]; iterations 4
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile keras==3.15.1 jax==0.10.2 2> /dev/null
KERAS_BACKEND=jax bin/python -W ignore - << 'PYTHON'
import keras
import numpy as np
from keras import ops


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        return ops.minimum(ops.cast(step, "float32") / 8, 1.0)

    def get_config(self):
        return {}


def rates(batches, **options):
    weight = keras.Variable(np.zeros(1, "float32"))
    rule = keras.optimizers.SGD(learning_rate=WarmUp(), **options)
    rule.build([weight])
    places = [0.0]
    for _ in range(batches * 4):
        rule.apply([ops.ones(1)], [weight])
        places.append(abs(float(ops.convert_to_numpy(weight)[0])))
    return np.diff(places[::batches]).tolist(), int(rule.iterations)


plain, _ = rates(1)
accumulated, count = rates(4, gradient_accumulation_steps=4)
print(f"rates of the updates without accumulation: {plain}, with 4 batches: {accumulated}; iterations {count}")
assert plain == [0.0, 0.125, 0.25, 0.375]
assert accumulated == [0.375, 0.875, 1.0, 1.0] and count == 4
PYTHON

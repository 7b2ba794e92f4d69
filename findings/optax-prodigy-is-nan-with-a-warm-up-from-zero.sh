#!/usr/bin/env bash
# prodigy and dadapt_adamw of optax make all weights nan if their schedule begins at 0, as a linear warm-up does.
# Topic: models
# Packages: optax==0.2.8, jax==0.10.2
# Behaviour: with optax.linear_schedule(0.0, 1.0, 10) the first update of prodigy is nan in every weight; dadapt_adamw
#   stays where it is for one update and is nan after the second. A schedule that begins at 0.1 is fine, and so are
#   adamw, adafactor, lamb, lion, ademamix and schedule_free_adamw with the one that begins at 0.
# Why a good guess is wrong: a rate of 0 means no change in any other optimiser, and the authors' Prodigy for torch
#   trains through the same warm-up. Both estimates of the distance are divided by a sum of gradients times the rate,
#   which is 0 / 0 at a rate of 0.
# Who meets it: warm-up schedules of optax, whose init_value is 0.0 in most examples, given to an optimiser that is used
#   to get rid of the search for a rate.
# Source: optax/contrib/_prodigy.py and _dadapt_adamw.py, `update_fn` (the estimate's quotient).
# Remedy: a warm-up that begins above 0, or safeguard_warmup=True of prodigy (off by default).
# Seen: finite weights after updates 1, 2, 3 from a rate of 0: prodigy no no no, dadapt_adamw yes no no, adamw yes yes yes
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile jax==0.10.2 optax==0.2.8 2> /dev/null
bin/python - << 'PYTHON'
import jax
import jax.numpy as jnp
import optax


def finite(make, begin):
    rule = make(optax.linear_schedule(begin, 1.0, 10))
    weight = jnp.ones((3, 2))
    state, seen = rule.init(weight), []
    for _ in range(3):
        gradient = jax.grad(lambda w: (w**2).sum())(weight)
        change, state = rule.update(gradient, state, weight)
        weight = optax.apply_updates(weight, change)
        seen.append(bool(jnp.isfinite(weight).all()))
    return seen


def safe(schedule):
    return optax.contrib.prodigy(schedule, safeguard_warmup=True)


rules = {"prodigy": optax.contrib.prodigy, "dadapt_adamw": optax.contrib.dadapt_adamw, "adamw": optax.adamw}
for begin in (0.0, 0.1):
    seen = {name: finite(make, begin) for name, make in rules.items()}
    print(f"finite weights after updates 1, 2, 3 from a rate of {begin}: {seen}")
    if begin == 0:
        assert seen == {"prodigy": [False] * 3, "dadapt_adamw": [True, False, False], "adamw": [True] * 3}
    else:
        assert all(all(values) for values in seen.values())
assert finite(safe, 0.0) == [True] * 3
PYTHON

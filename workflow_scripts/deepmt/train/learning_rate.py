"""Compute the learning rate of every update, as a function of the schedule's number s."""

from collections.abc import Callable

from deepmt.settings.spec import Spec

INITIAL_LR = 1e-7


def noam(spec: Spec, s: int) -> float:
    """Return lr * D^-0.5 * min(s^-0.5, s * w^-1.5) (Vaswani 2017, Eq. 3).

    Here lr is a factor (Zhang, Bapna), w the warmup.
    """
    recipe = spec.training
    return recipe.lr * spec.decoder.d_model**-0.5 * min(s**-0.5, s * recipe.warmup**-1.5)


def inverse_sqrt(spec: Spec, s: int) -> float:
    """Return lr * sqrt(w / s), after a linear rise from 1e-7 to lr over w updates (Wang, Liu)."""
    peak, warmup = spec.training.lr, spec.training.warmup
    if s < warmup:
        return INITIAL_LR + (peak - INITIAL_LR) * s / warmup
    return peak * (warmup / s) ** 0.5


def no_warmup(spec: Spec, s: int) -> float:
    """Return lr * sqrt(w / (w + s)), which never rises (T-Fixup, Huang 2020)."""
    start, warmup = spec.training.lr, spec.training.warmup
    return start * (warmup / (warmup + s)) ** 0.5


SCHEDULES: dict[str, Callable[[Spec, int], float]] = {
    "noam": noam,
    "inverse_sqrt": inverse_sqrt,
    "no_warmup": no_warmup,
}


def learning_rate(spec: Spec, update: int) -> float:
    """Return the learning rate of 1-based `update`."""
    recipe = spec.training
    return SCHEDULES[recipe.schedule](spec, update - 1 + recipe.schedule_from)

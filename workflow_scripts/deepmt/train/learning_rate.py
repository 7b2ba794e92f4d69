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
    """Return lr * sqrt(w / s), after a linear rise to lr over w updates.

    It begins at 1e-7 (Wang, Liu), or else at 0.
    """
    peak, warmup = spec.training.lr, spec.training.warmup
    if s < warmup:
        initial = INITIAL_LR if spec.training.first_rate == "small" else 0.0
        return initial + (peak - initial) * s / warmup
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
    if update == 1 and recipe.first_rate == "peak":
        return recipe.lr
    return SCHEDULES[recipe.schedule](spec, update - 1 + recipe.schedule_from)

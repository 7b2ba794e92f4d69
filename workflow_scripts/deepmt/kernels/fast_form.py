"""Link an equation in its plain form to the kernel that computes it fast."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_plain = False


def fast_form(kernel: Callable[P, R]) -> Callable[[Callable[P, Any]], Callable[P, R]]:
    """Compute the decorated equation by `kernel`, which returns the same values and gradients."""

    def decorate(equation: Callable[P, Any]) -> Callable[P, R]:
        @wraps(equation, updated=())
        def compute(*args: P.args, **kwargs: P.kwargs) -> R:
            return (equation if _plain else kernel)(*args, **kwargs)

        return compute

    return decorate


@contextmanager
def plain_forms() -> Iterator[None]:
    """Compute equations in their plain form, for tests and to count operations and memory."""
    global _plain
    before, _plain = _plain, True
    try:
        yield
    finally:
        _plain = before

"""Compute the same with different numbers of threads."""

from collections.abc import Callable

import torch
from torch import Tensor


def with_threads(compute: Callable[[], list[Tensor]]) -> list[list[Tensor]]:
    """Return the results of one, two and three threads."""
    threads, found = torch.get_num_threads(), []
    try:
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            found.append(compute())
    finally:
        torch.set_num_threads(threads)
    return found

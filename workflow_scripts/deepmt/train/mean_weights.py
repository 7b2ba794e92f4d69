"""Average the weights of checkpoints, without torch."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

Array = NDArray[Any]


def mean(paths: Sequence[Path]) -> dict[str, Array]:
    """Return the mean of each tensor over files, or the last tensor if it is not a float.

    Sums are taken in the order of the files, to be reproducible.

    Raises:
        ValueError: if names or shapes differ.
    """
    total = load_file(paths[0])
    shapes = {name: value.shape for name, value in total.items()}
    for path in paths[1:]:
        values = load_file(path)
        if shapes != {name: value.shape for name, value in values.items()}:
            raise ValueError(f"{path} and {paths[0]} hold different tensors: train again")
        for name, value in values.items():
            total[name] = np.asarray(total[name] + value if is_float(value) else value)
    return {
        name: np.asarray(value / np.float32(len(paths)) if is_float(value) else value)
        for name, value in total.items()
    }


def is_float(value: Array) -> bool:
    """Check if an array can be averaged, unlike counts and masks."""
    return np.issubdtype(value.dtype, np.floating)

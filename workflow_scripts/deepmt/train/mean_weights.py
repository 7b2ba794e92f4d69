"""Average the weights of checkpoints."""

from collections.abc import Sequence
from pathlib import Path

from safetensors.numpy import load_file

from deepmt.base.errors import UserError
from deepmt.model.weight_file import Arrays


def mean(paths: Sequence[Path]) -> Arrays:
    """Return the mean of each array over files, or the last array if it is not of floats.

    Sums are taken in the order of the files, to be reproducible.

    Raises:
        ValueError: if names or shapes differ.
    """
    total = load_file(paths[0])
    shapes = {name: value.shape for name, value in total.items()}
    for path in paths[1:]:
        values = load_file(path)
        if shapes != {name: value.shape for name, value in values.items()}:
            raise UserError(f"{path} and {paths[0]} hold different tensors: train again")
        for name, value in values.items():
            if value.dtype.kind == "f":
                total[name] += value
            else:
                total[name] = value
    for value in total.values():
        if value.dtype.kind == "f":
            value /= len(paths)
    return total

"""Average the weights of checkpoints."""

from collections.abc import Sequence
from pathlib import Path

from safetensors.torch import load_file
from torch import Tensor

from deepmt.base.errors import UserError


def mean(paths: Sequence[Path]) -> dict[str, Tensor]:
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
            raise UserError(f"{path} and {paths[0]} hold different tensors: train again")
        for name, value in values.items():
            total[name] = total[name] + value if value.is_floating_point() else value
    return {
        name: value / len(paths) if value.is_floating_point() else value
        for name, value in total.items()
    }

"""Copy, save and load the state of a model: parameters and persistent buffers, by first names."""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from deepmt.base.errors import UserError
from deepmt.model.weight_file import Arrays, read_arrays, write_arrays


def write_weights(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write tensors to a file, as `write_arrays` does."""
    # safetensors 0.8.0 scrambles transposed arrays.
    write_arrays(path, {name: tensor.contiguous().numpy() for name, tensor in tensors.items()})


def read_weights(path: Path) -> dict[str, Tensor]:
    """Read the tensors of a file, as `read_arrays` does."""
    return as_tensors(read_arrays(path))


def as_tensors(arrays: Arrays) -> dict[str, Tensor]:
    """Return tensors that share the memory of arrays."""
    return {name: torch.from_numpy(array) for name, array in arrays.items()}


def named_state(model: nn.Module) -> dict[str, Tensor]:
    """Return each distinct parameter and persistent buffer of a model, by its first name."""
    found: dict[int, tuple[str, Tensor]] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        found.setdefault(id(tensor), (name, tensor))
    return dict(found.values())


def weights(model: nn.Module) -> dict[str, Tensor]:
    """Copy the state of a model to the CPU, with floating-point tensors in float32."""
    return {
        name: (tensor.float() if tensor.is_floating_point() else tensor).detach().cpu().contiguous()
        for name, tensor in named_state(model).items()
    }


def save_model(model: nn.Module, path: Path) -> None:
    """Write the state of a model to a file."""
    write_weights(path, weights(model))


def load_model_file(model: nn.Module, path: Path) -> None:
    """Load the state that `save_model` wrote into a model.

    Raises:
        ValueError: the file is damaged, or belongs to another model.
    """
    values = read_weights(path)
    try:
        load_weights(model, values)
    except ValueError as error:
        raise UserError(
            f"{path}: {error}; it belongs to another spec or vocabulary: delete it and run again"
        ) from error


def load_weights(model: nn.Module, values: dict[str, Tensor]) -> None:
    """Load the state that `weights` returned into a model.

    Raises:
        ValueError: names or shapes do not match the model.
    """
    own = named_state(model)
    if own.keys() != values.keys():
        differing = sorted(own.keys() ^ values.keys())[:3]
        raise UserError(f"weights do not fit the model: {', '.join(differing)} on one side only")
    with torch.no_grad():
        for name, tensor in own.items():
            if tensor.shape != values[name].shape:
                raise UserError(
                    f"weights do not fit the model: {name} is {tuple(values[name].shape)}, "
                    f"the model has {tuple(tensor.shape)}"
                )
            tensor.copy_(values[name])

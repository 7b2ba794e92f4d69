"""Copy and load the state of a model: each parameter and persistent buffer, by its first name."""

from pathlib import Path

import torch
from torch import Tensor, nn

from deepmt.model.weight_files import read_weights, write_weights


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
    write_weights(path, {name: tensor.numpy() for name, tensor in weights(model).items()})


def load_model_file(model: nn.Module, path: Path) -> None:
    """Load the state that `save_model` wrote into a model.

    Raises:
        ValueError: the file is damaged, or belongs to another model.
    """
    values = {name: torch.from_numpy(value) for name, value in read_weights(path).items()}
    try:
        load_weights(model, values)
    except ValueError as error:
        raise ValueError(
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
        raise ValueError(f"weights do not fit the model: {', '.join(differing)} on one side only")
    with torch.no_grad():
        for name, tensor in own.items():
            if tensor.shape != values[name].shape:
                raise ValueError(
                    f"weights do not fit the model: {name} is {tuple(values[name].shape)}, "
                    f"the model has {tuple(tensor.shape)}"
                )
            tensor.copy_(values[name])

"""Copy, save and load the state of a model: parameters and persistent buffers, by first names."""

import errno
import hashlib
import os
import resource
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save, save_file
from torch import Tensor, nn

from deepmt.base.errors import UserError
from deepmt.base.files import REMEDY, replacing
from deepmt.settings.seed_folder import SeedFolder

SUM = "sha256"
"""Key of the hash in the metadata of a file, followed by the seed whose weights they are.

It is the only key: safetensors 0.8.0 writes several in random order.
"""
ALMOST = 1 << 20
"""Bytes that may be left of a disk, or below a limit, where a write fails."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise OSError for a full disk or a limit of file sizes, which the libraries do not name."""
    try:
        yield
    except (RuntimeError, SafetensorError) as error:
        limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
        cause = 0
        if limit != resource.RLIM_INFINITY and path.stat().st_size >= limit - ALMOST:
            cause = errno.EFBIG
        elif shutil.disk_usage(path.parent).free < ALMOST:
            cause = errno.ENOSPC
        if not cause:
            raise
        raise OSError(cause, os.strerror(cause)) from error


def write_weights(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write a safetensors file atomically, with the hash of its tensors, and whose they are."""
    about = f"{hash_of(tensors)} {_owner(path)}"
    with replacing(path) as temporary, explained(temporary):
        save_file(dict(tensors), temporary, metadata={SUM: about})


def read_weights(path: Path) -> dict[str, Tensor]:
    """Read a file that `write_weights` wrote.

    Raises:
        ValueError: the file is not whole, of another seed, or another program wrote it.
    """
    kept, whose = _about(path)
    if whose and (owner := _owner(path)) not in ("", whose):
        raise UserError(f"{path} is of {whose}, not of {owner}; {REMEDY}")
    tensors = load_file(path)
    if hash_of(tensors) != kept:
        raise UserError(f"{path} is damaged: its tensors do not have the hash it holds; {REMEDY}")
    return tensors


def kept_hash(path: Path) -> str:
    """Return the hash that a file holds, unchecked; raise ValueError if it holds none."""
    return _about(path)[0]


def _owner(path: Path) -> str:
    """Return the seed in whose folder a path lies, if it does."""
    folder = SeedFolder.around(path)
    return f"seed {folder.seed} of {folder.run}" if folder else ""


def _about(path: Path) -> tuple[str, str]:
    """Return the hash that a file holds, and the seed; files of before 0.6 name none."""
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
    except SafetensorError as error:
        problem = f"cut short or no file of weights ({error})" if path.stat().st_size else "empty"
        raise UserError(f"{path} is {problem}; {REMEDY}") from error
    if SUM not in metadata:
        raise UserError(
            f"{path} holds no hash of its tensors: an earlier version or another program wrote it;"
            f" {REMEDY}"
        )
    kept, _, whose = metadata[SUM].partition(" ")
    return kept, whose


def hash_of(tensors: Mapping[str, Tensor]) -> str:
    """Return the SHA-256 of a safetensors file of these tensors and nothing else."""
    return hashlib.sha256(save(dict(tensors))).hexdigest()


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

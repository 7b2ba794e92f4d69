"""Read and write files of weights as arrays, each with the hash of its tensors and their seed."""

import errno
import hashlib
import os
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file, save, save_file

from deepmt.base.errors import UserError
from deepmt.base.files import REMEDY, replacing
from deepmt.settings.seed_folder import SeedFolder

Arrays = dict[str, NDArray[Any]]
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


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write a safetensors file atomically, with the hash of its tensors, and whose they are."""
    about = f"{hash_of(arrays)} {_owner(path)}"
    with replacing(path) as temporary, explained(temporary):
        save_file(arrays, temporary, metadata={SUM: about})


def read_arrays(path: Path) -> Arrays:
    """Read a file that `write_arrays` wrote.

    Raises:
        ValueError: the file is not whole, of another seed, or another program wrote it.
    """
    kept, whose = _about(path)
    if whose and (owner := _owner(path)) not in ("", whose):
        raise UserError(f"{path} is of {whose}, not of {owner}; {REMEDY}")
    arrays = load_file(path)
    if hash_of(arrays) != kept:
        raise UserError(f"{path} is damaged: its tensors do not have the hash it holds; {REMEDY}")
    return arrays


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
        with safe_open(path, framework="np") as file:
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


def hash_of(arrays: Arrays) -> str:
    """Return the SHA-256 of a safetensors file of these tensors and nothing else."""
    return hashlib.sha256(save(arrays)).hexdigest()

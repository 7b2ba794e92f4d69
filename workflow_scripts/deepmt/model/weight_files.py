"""Write and read files of weights; each holds the hash of its tensors, so damage is found."""

import errno
import hashlib
import os
import resource
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save, save_file

from deepmt.files import REMEDY, replacing

Arrays = Mapping[str, NDArray[Any]]
SUM = "sha256"
"""Key of the hash in the metadata of a file."""
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


def write_weights(path: Path, arrays: Arrays) -> None:
    """Write a safetensors file atomically, with the hash of its tensors."""
    with replacing(path) as temporary, explained(temporary):
        save_file(dict(arrays), temporary, metadata={SUM: hash_of(arrays)})


def read_weights(path: Path) -> dict[str, NDArray[Any]]:
    """Read a file that `write_weights` wrote.

    Raises:
        ValueError: the file is not whole, or another program wrote it.
    """
    kept = kept_hash(path)
    with safe_open(path, framework="numpy") as file:
        arrays: dict[str, NDArray[Any]] = file.get_tensors()
    if hash_of(arrays) != kept:
        raise ValueError(f"{path} is damaged: its tensors do not have the hash it holds; {REMEDY}")
    return arrays


def kept_hash(path: Path) -> str:
    """Return the hash that a file holds, unchecked; raise ValueError if it holds none."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
    except SafetensorError as error:
        problem = f"cut short or no file of weights ({error})" if path.stat().st_size else "empty"
        raise ValueError(f"{path} is {problem}; {REMEDY}") from error
    if SUM not in metadata:
        raise ValueError(
            f"{path} holds no hash of its tensors: an earlier version or another program wrote it;"
            f" {REMEDY}"
        )
    return metadata[SUM]


def hash_of(arrays: Arrays) -> str:
    """Return the SHA-256 of a safetensors file of these tensors and nothing else."""
    return hashlib.sha256(save(dict(arrays))).hexdigest()

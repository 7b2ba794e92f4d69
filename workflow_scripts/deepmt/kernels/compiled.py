"""Build `rowwise.cpp` at first use, for the processor at hand, and call its operations."""

import ctypes
import os
import re
import shutil
import signal
import stat
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path

import torch
from torch import Tensor

from deepmt import files

SOURCE = Path(__file__).with_name("rowwise.cpp")
FLAGS = ("-O3", "-march=native", "-std=c++17", "-Wno-psabi", "-fPIC", "-shared", "-fopenmp")
PATIENCE = 300.0
"""Seconds after which a compiler is ended; it takes ten."""

NUMBERS = {torch.float32: "float", torch.bfloat16: "bfloat16"}
"""Type of activations -> its name in `rowwise.cpp`."""


def supports(x: Tensor) -> bool:
    """Check if compiled operations compute the forward pass of this tensor: in training alone."""
    return torch.is_grad_enabled() and take(x)


def take(x: Tensor) -> bool:
    """Check if compiled operations take this tensor: one on a CPU."""
    known = x.device.type == "cpu" and x.dtype in NUMBERS
    return known and library(NUMBERS[x.dtype]) is not None


def run(operation: str, x: Tensor, *arguments: Tensor | int | float | None) -> None:
    """Call an operation on contiguous tensors and numbers; `x` has the type of activations."""
    getattr(library(NUMBERS[x.dtype]), operation)(*map(c_value, (x, *arguments)))


def c_value(argument: Tensor | int | float | None) -> ctypes._SimpleCData | None:
    """Return a pointer to a tensor's values, a 64-bit integer or a float."""
    if isinstance(argument, Tensor):
        return ctypes.c_void_p(argument.data_ptr())
    if isinstance(argument, int):
        return ctypes.c_int64(argument)
    return None if argument is None else ctypes.c_float(argument)


def library(number: str) -> ctypes.CDLL | None:
    """Return the operations on a type of activations, or None where they cannot be compiled."""
    return attempt(number)[0]


def hindrance() -> str:
    """Return why torch computes in place of compiled operations, or nothing if they compute."""
    return next((reason for _, reason in map(attempt, NUMBERS.values()) if reason), "")


@cache
def attempt(number: str) -> tuple[ctypes.CDLL | None, str]:
    """Return the operations on a type of activations, or None and the reason."""
    try:
        return ctypes.CDLL(str(built(number))), ""
    except (OSError, RuntimeError) as error:
        return None, str(error)


def built(number: str) -> Path:
    """Return the library of a type, which is kept for other processes under its hash.

    It shares torch's OpenMP: threads of a second one would compete for the same cores.

    Raises:
        OSError, RuntimeError: it cannot be compiled, or kept where no other user writes.
    """
    openmp = loaded("libgomp")
    if openmp is None:
        raise RuntimeError("torch does not use GNU's OpenMP")
    processor = re.findall(r"^(?:model name|flags)\s*:.*", read("/proc/cpuinfo"), re.MULTILINE)[:2]
    options = (*FLAGS, f"-DNUMBER={number}", str(SOURCE), "-Wl,--as-needed", openmp)
    sources = [path.read_text() for path in (SOURCE, *sorted(SOURCE.parent.glob("*.h")))]
    key = sha256("\n".join([*sources, *options, *processor]).encode()).hexdigest()[:16]
    folder = own_folder()
    for kept in folder.glob(f"rowwise.{key}-*.so"):
        if is_own(kept) and files.sha256(kept) == kept.stem.partition("-")[2]:
            return kept
        kept.unlink(missing_ok=True)
    part = folder / f".{key}.{os.getpid()}.tmp"
    try:
        compile_([*options, "-o", str(part)])
        part.chmod(stat.S_IRWXU)
        with part.open("rb") as handle:
            os.fsync(handle.fileno())
        named = part.rename(folder / f"rowwise.{key}-{files.sha256(part)}.so")
        files.sync_folder(folder)
        return named
    finally:
        part.unlink(missing_ok=True)


def own_folder() -> Path:
    """Return the folder of compiled operations, which only this user may write.

    Raises:
        OSError, RuntimeError: it cannot be made, or another user can write it.
    """
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "deepmt"
    folder.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
    if folder.stat().st_uid == os.getuid():
        folder.chmod(stat.S_IRWXU)
    if not is_own(folder):
        raise RuntimeError(f"{folder} is not yours alone; set XDG_CACHE_HOME to a folder that is")
    return folder


def is_own(path: Path) -> bool:
    """Check if a file or folder belongs to this user, and no other one can write it."""
    known = path.stat()
    return known.st_uid == os.getuid() and not known.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def compile_(options: list[str]) -> None:
    """Run g++, and end it with all its processes if it takes too long.

    Raises:
        RuntimeError: there is none, or it fails or hangs.
    """
    compiler, pipe = shutil.which("g++"), subprocess.PIPE
    if compiler is None:
        raise RuntimeError("there is no g++")
    command = [compiler, *options]
    with subprocess.Popen(command, stderr=pipe, text=True, start_new_session=True) as process:
        try:
            said = process.communicate(timeout=PATIENCE)[1]
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise RuntimeError(f"g++ did not end in {PATIENCE:.0f} seconds") from error
            raise
    if process.returncode:
        first_line = said.strip().partition("\n")[0]
        raise RuntimeError(f"g++ fails: {first_line}")


def loaded(name: str) -> str | None:
    """Return the path of a library of this process."""
    return next(iter(re.findall(rf"/\S*{name}\S*", read("/proc/self/maps"))), None)


def read(path: str) -> str:
    """Return a text file of the system, or nothing on one that lacks it."""
    return Path(path).read_text() if Path(path).exists() else ""


@cache
def has_tiles() -> bool:
    """Check if operations in tiles are compiled: for processors with AVX512-BF16."""
    return hasattr(library("bfloat16"), "linear")


@cache
def mkl_is_slow() -> bool:
    """Check if this is an AMD processor with AVX-512, which torch's default, MKL, leaves unused."""
    known = read("/proc/cpuinfo")
    return "AuthenticAMD" in known and " avx512f" in known

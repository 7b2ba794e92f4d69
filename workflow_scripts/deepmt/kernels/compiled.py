"""Build `rowwise.cpp` at first use, for the processor at hand, and call its operations."""

import ctypes
import os
import re
import shutil
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path

import torch
from torch import Tensor

SOURCE = Path(__file__).with_name("rowwise.cpp")
FLAGS = ("-O3", "-march=native", "-std=c++17", "-Wno-psabi", "-fPIC", "-shared", "-fopenmp")


NUMBERS = {torch.float32: "float", torch.bfloat16: "bfloat16"}
"""Type of activations -> its name in `rowwise.cpp`."""


def supports(x: Tensor) -> bool:
    """Check if compiled operations compute the forward pass of this tensor: in training alone."""
    return torch.is_grad_enabled() and take(x)


def take(x: Tensor) -> bool:
    """Check if compiled operations take this tensor: one on a CPU."""
    known = x.device.type == "cpu" and x.dtype in NUMBERS
    return known and library(NUMBERS[x.dtype]) is not None


@cache
def has_tiles() -> bool:
    """Check if operations in tiles are compiled: for processors with AVX512-BF16."""
    return hasattr(library("bfloat16"), "linear")


@cache
def mkl_is_slow() -> bool:
    """Check if this is an AMD processor with AVX-512, which torch's default, MKL, leaves unused."""
    known = read("/proc/cpuinfo")
    return "AuthenticAMD" in known and " avx512f" in known


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


@cache
def library(number: str) -> ctypes.CDLL | None:
    """Return the operations on a type of activations, or None without g++ or a folder for them.

    They are kept there for other processes. They share torch's OpenMP: threads of a second one
    would compete with the first for the same cores.
    """
    compiler, openmp = shutil.which("g++"), loaded("libgomp")
    if compiler is None or openmp is None:
        return None
    processor = re.findall(r"^(?:model name|flags)\s*:.*", read("/proc/cpuinfo"), re.MULTILINE)[:2]
    options = (*FLAGS, f"-DNUMBER={number}", str(SOURCE), "-Wl,--as-needed", openmp)
    sources = [path.read_text() for path in (SOURCE, *sorted(SOURCE.parent.glob("*.h")))]
    key = sha256("\n".join([*sources, *options, *processor]).encode()).hexdigest()
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "deepmt"
    built = folder / f"rowwise.{key[:16]}.so"
    try:
        if not built.exists():
            folder.mkdir(parents=True, exist_ok=True)
            part = built.with_suffix(f".{os.getpid()}")
            subprocess.run([compiler, *options, "-o", part], check=True, capture_output=True)
            part.replace(built)
        return ctypes.CDLL(str(built))
    except (OSError, subprocess.CalledProcessError):
        return None


def loaded(name: str) -> str | None:
    """Return the path of a library of this process."""
    return next(iter(re.findall(rf"/\S*{name}\S*", read("/proc/self/maps"))), None)


def read(path: str) -> str:
    """Return a text file of the system, or nothing on one that lacks it."""
    return Path(path).read_text() if Path(path).exists() else ""

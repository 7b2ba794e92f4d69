"""Build `rowwise.cpp` at first use, for the processor at hand, and call its operations."""

import ctypes
import math
import os
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from deepmt.base import files
from deepmt.base.errors import UserError

SOURCE = Path(__file__).with_name("rowwise.cpp")
FOLDER = Path(__file__).resolve().parents[3] / "data/code"
"""Where compiled operations are kept, from whatever folder a script is called."""
FLAGS = ("-O3", "-march=native", "-std=c++17", "-Wno-psabi", "-fPIC", "-shared", "-fopenmp")
PATIENCE = 300.0
"""Seconds after which a compiler is ended; it takes ten."""

NUMBERS = {torch.float32: "float", torch.bfloat16: "bfloat16"}
"""Type of activations -> its name in `rowwise.cpp`."""
TYPES = {"float": torch.float32, "int64_t": torch.int64, "uint8_t": torch.bool}
"""Type in `rowwise.cpp` -> type of tensors."""
PROTOTYPE = re.compile(r"^void (\w+)\(([^{]*)\) \{", re.MULTILINE)
ARGUMENT = re.compile(r"(\w+)(\*?) (\w+)(?: /\*\[(.*?)\](.*?)\*/)?(?:,|$)")
"""Type, pointer, name, shape, and a note: `or null`."""


def supports(x: Tensor) -> bool:
    """Check if compiled operations compute the forward pass of this tensor: in training alone."""
    return torch.is_grad_enabled() and take(x)


def take(x: Tensor) -> bool:
    """Check if compiled operations take this tensor: one on a CPU."""
    known = x.device.type == "cpu" and x.dtype in NUMBERS
    return known and library(NUMBERS[x.dtype]) is not None


@dataclass(frozen=True)
class Argument:
    """Describe an argument of an operation as `rowwise.cpp` declares it."""

    name: str
    type: str
    is_pointer: bool
    shape: tuple[str, ...]
    nullable: bool

    def c_value(
        self, given: Any, number: torch.dtype, sizes: dict[str, int]
    ) -> ctypes._SimpleCData | None:
        """Return a pointer to a tensor's values, a 64-bit integer or a float.

        `sizes` holds what earlier tensors call their dimensions, and gets those of this one.

        Raises:
            ValueError: the operation would read or write beyond the values of this tensor.
        """
        if not self.is_pointer:
            return ctypes.c_float(given) if self.type == "float" else ctypes.c_int64(given)
        if given is None and self.nullable:
            return None
        dtype = TYPES.get(self.type, number)
        if not isinstance(given, Tensor) or not self.fits(given, dtype, sizes):
            found = f"{given.dtype} {[*given.shape]}" if isinstance(given, Tensor) else given
            known = ", ".join(f"{name} {size}" for name, size in sizes.items())
            raise UserError(
                f"{self.name} is {found}; the compiled operation takes contiguous {dtype} "
                f"[{', '.join(self.shape)}] on the CPU, here with {known}"
            )
        return ctypes.c_void_p(given.data_ptr())

    def fits(self, x: Tensor, dtype: torch.dtype, sizes: dict[str, int]) -> bool:
        """Check type, device, strides and shape; leading dimensions count as one."""
        merged = x.dim() - len(self.shape) + 1
        if x.dtype != dtype or x.device.type != "cpu" or not x.is_contiguous() or merged < 1:
            return False
        found = math.prod(x.shape[:merged]), *x.shape[merged:]
        pairs = zip(self.shape, found, strict=True)
        return all(sizes.setdefault(name, size) == size for name, size in pairs)


@cache
def arguments(operation: str) -> tuple[list[Argument], list[Argument]]:
    """Return all arguments of an operation of `rowwise.cpp`, and those that are not sizes."""
    text = dict(PROTOTYPE.findall(SOURCE.read_text()))[operation]
    declared = [
        Argument(name, type_, bool(star), tuple(re.findall(r"\w+", shape)), "null" in rest)
        for type_, star, name, shape, rest in ARGUMENT.findall(text)
    ]
    sizes = {size for each in declared for size in each.shape}
    return declared, [each for each in declared if each.name not in sizes]


def run(operation: str, x: Tensor, *others: Tensor | float | None) -> None:
    """Call an operation; `x` has the type of activations, and sizes come from the tensors.

    Raises:
        ValueError: a tensor differs from what the operation declares.
    """
    declared, given = arguments(operation)
    sizes: dict[str, int] = {}
    values = {
        each.name: each.c_value(value, x.dtype, sizes)
        for each, value in zip(given, (x, *others), strict=True)
    }
    values |= {name: ctypes.c_int64(size) for name, size in sizes.items()}
    getattr(library(NUMBERS[x.dtype]), operation)(*(values[each.name] for each in declared))


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
        return built(number), ""
    except (OSError, RuntimeError) as error:
        return None, str(error)


def built(number: str) -> ctypes.CDLL:
    """Return the library of a type, which is kept in the checkout for other processes.

    It shares torch's OpenMP: threads of a second one would compete for the same cores.

    Raises:
        OSError, RuntimeError: it cannot be compiled, kept or loaded.
    """
    openmp = loaded("libgomp")
    if openmp is None:
        raise RuntimeError("torch does not use GNU's OpenMP")
    processor = re.findall(r"^(?:model name|flags)\s*:.*", read("/proc/cpuinfo"), re.MULTILINE)[:2]
    options = (*FLAGS, f"-DNUMBER={number}", "-Wl,--as-needed", openmp)
    key = sha256("\n".join([SOURCE.read_text(), *options, *processor]).encode()).hexdigest()[:16]
    kept = FOLDER / f"rowwise.{key}.so"
    # The loader would crash with a file that is cut, and run one that is damaged.
    if kept.exists() and sha256((whole := kept.read_bytes())[:-32]).digest() == whole[-32:]:
        with suppress(OSError):
            return ctypes.CDLL(str(kept))
    with files.replacing(kept) as part:
        compile_([str(SOURCE), *options, "-o", str(part)])
        with part.open("ab") as handle:
            handle.write(sha256(part.read_bytes()).digest())
    return ctypes.CDLL(str(kept))


def compile_(options: list[str]) -> None:
    """Run g++, and end it with all its processes if it takes too long.

    Raises:
        RuntimeError: there is none, or it fails or hangs.
    """
    compiler = shutil.which("g++")
    if compiler is None:
        raise RuntimeError("there is no g++")
    with subprocess.Popen(
        [compiler, *options], stderr=subprocess.PIPE, errors="replace", start_new_session=True
    ) as process:
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
    mapped = re.findall(r"^(?:\S+ +){5}(/.*)", read("/proc/self/maps"), re.MULTILINE)
    return next((path for path in mapped if Path(path).name.startswith(name)), None)


def read(path: str) -> str:
    """Return a text file of the system, or nothing on one that lacks it."""
    return os.fsdecode(Path(path).read_bytes()) if Path(path).exists() else ""


@cache
def mkl_leaves_avx512() -> bool:
    """Check if this processor has AVX-512 but MKL, which uses it on Intel's alone, does not."""
    processor = read("/proc/cpuinfo")
    left = "avx512f" in processor.split() and "GenuineIntel" not in processor
    return left and torch.backends.mkldnn.is_available()

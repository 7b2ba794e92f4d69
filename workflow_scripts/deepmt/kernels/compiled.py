"""Build `rowwise.cpp` at first use, for the processor at hand, and call its operations."""

import ctypes
import math
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from deepmt.base import files

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


class Form(NamedTuple):
    """Hold what an operation must know of a tensor."""

    dtype: torch.dtype
    shape: torch.Size
    contiguous: bool
    on_cpu: bool


@dataclass(frozen=True)
class Argument:
    """Describe an argument of an operation as `rowwise.cpp` declares it."""

    name: str
    type: str
    is_pointer: bool
    shape: tuple[str, ...]
    nullable: bool

    @property
    def c_type(self) -> Any:
        """Return its type in C."""
        if self.is_pointer:
            return ctypes.c_void_p
        return ctypes.c_float if self.type == "float" else ctypes.c_int64

    def check(self, found: Form | None, number: torch.dtype, sizes: dict[str, int]) -> None:
        """Check what is given for a pointer.

        `sizes` holds what earlier tensors call their dimensions, and gets those of this one.

        Raises:
            RuntimeError: the operation would read or write beyond the values of this tensor.
        """
        dtype = TYPES.get(self.type, number)
        if not (self.nullable if found is None else self.fits(found, dtype, sizes)):
            known = ", ".join(f"{name} {size}" for name, size in sizes.items())
            raise RuntimeError(
                f"{self.name} is {found and f'{found.dtype} {[*found.shape]}'}; the compiled"
                f" operation takes contiguous {dtype} [{', '.join(self.shape)}] on the CPU, here"
                f" with {known}"
            )

    def fits(self, found: Form, dtype: torch.dtype, sizes: dict[str, int]) -> bool:
        """Check type, device, strides and shape; leading dimensions count as one."""
        merged = len(found.shape) - len(self.shape) + 1
        if found.dtype != dtype or not (found.contiguous and found.on_cpu) or merged < 1:
            return False
        seen = math.prod(found.shape[:merged]), *found.shape[merged:]
        pairs = zip(self.shape, seen, strict=True)
        return all(sizes.setdefault(name, size) == size for name, size in pairs)


@cache
def arguments(operation: str) -> tuple[list[Argument], list[Argument]]:
    """Return all arguments of an operation of `rowwise.cpp`, and those that are not sizes.

    Pointers come first, then sizes.
    """
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
        RuntimeError: a tensor differs from what the operation declares, or their number does.
    """
    if len(others) + 1 != len(arguments(operation)[1]):
        raise RuntimeError(f"{operation} is given {len(others) + 1} values: see rowwise.cpp")
    tensors, rest = (x, *others)[: pointers(operation)], others[pointers(operation) - 1 :]
    forms = (t if t is None else (t.dtype, t.shape, t.is_contiguous(), t.is_cpu) for t in tensors)
    call, sizes = checked(operation, *forms)
    call(*(t if t is None else t.data_ptr() for t in tensors), *sizes, *rest)


@cache
def pointers(operation: str) -> int:
    """Count the tensors that an operation takes."""
    return sum(each.is_pointer for each in arguments(operation)[1])


@lru_cache(maxsize=1024)
def checked(operation: str, *forms: Any) -> tuple[Callable[..., None], tuple[int, ...]]:
    """Return an operation on tensors of these forms, or none, and its sizes.

    Raises:
        RuntimeError: a tensor differs from what the operation declares.
    """
    declared, given = arguments(operation)
    number, sizes = forms[0][0], dict[str, int]()
    for each, form in zip(given[: pointers(operation)], forms, strict=True):
        each.check(form and Form(*form), number, sizes)
    call = getattr(library(NUMBERS[number]), operation)
    call.argtypes, call.restype = [each.c_type for each in declared], None
    return call, tuple(sizes[each.name] for each in declared if each.name in sizes)


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

"""Build `rowwise.cpp` at first use, for the processor at hand, and call its operations."""

import ctypes
import math
import os
import re
import shutil
import signal
import stat
import subprocess
from dataclasses import dataclass
from functools import cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from deepmt.base import files
from deepmt.base.errors import UserError

SOURCE = Path(__file__).with_name("rowwise.cpp")
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
    key = sha256("\n".join([SOURCE.read_text(), *options, *processor]).encode()).hexdigest()[:16]
    folder = own_folder()
    for kept in folder.glob(f"rowwise.{key}-*.so"):
        if found := intact(kept, kept.stem.partition("-")[2]):
            return found
        kept.unlink(missing_ok=True)
    part = folder / f".{key}.{os.getpid()}.tmp"
    try:
        compile_([*options, "-o", str(part)])
        with files.if_supported():
            part.chmod(stat.S_IRWXU)
        with files.if_supported(), part.open("rb") as handle:
            os.fsync(handle.fileno())
        known = files.sha256(part)
        found = intact(part, known)  # loaded before it is kept: g++ may have written it wrongly
        if found is None:
            raise RuntimeError(f"{part} changed after g++ wrote it")
        part.rename(folder / f"rowwise.{key}-{known}.so")
        files.sync_folder(folder)
        return found
    finally:
        part.unlink(missing_ok=True)


def intact(path: Path, known: str) -> ctypes.CDLL | None:
    """Load a library if it is this user's own file and has a hash, or else return None.

    One descriptor is checked, hashed and loaded, so that nothing can take the file's place between.

    Raises:
        OSError: it has the hash, but cannot be loaded.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and is_own(status):
        with os.fdopen(descriptor, "rb", closefd=False) as handle:
            if file_digest(handle, "sha256").hexdigest() == known:
                # It stays open: the loader knows libraries by name, and this number is its name.
                return ctypes.CDLL(f"/proc/self/fd/{descriptor}")
    os.close(descriptor)
    return None


def own_folder() -> Path:
    """Return the folder of compiled operations, which only this user may write.

    Raises:
        OSError, RuntimeError: it cannot be made, or another user can write it.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # A relative path is to be ignored, as its specification says.
    folder = (named if named.is_absolute() else Path.home() / ".cache") / "deepmt"
    folder.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
    if folder.lstat().st_uid == os.getuid() and not folder.is_symlink():
        with files.if_supported():
            folder.chmod(stat.S_IRWXU)
    if folder.is_symlink() or not is_own(folder.lstat()):
        raise RuntimeError(f"{folder} is not yours alone; set XDG_CACHE_HOME to a folder that is")
    return folder


def is_own(status: os.stat_result) -> bool:
    """Check if a file or folder belongs to this user, and no other one can write it."""
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


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

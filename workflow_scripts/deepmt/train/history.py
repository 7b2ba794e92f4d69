"""Record the code, commits and machines of all attempts that led to a trainer state."""

import platform
import re
import resource
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import torch
from pydantic import Field

from deepmt.kernels import compiled
from deepmt.settings.strict import CountOrNone

CPUINFO = Path("/proc/cpuinfo")
"""On Linux alone."""
Value = TypeVar("Value")
Some = Annotated[list[Value], Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class History:
    """Hold distinct values in order of their last use; each saved state has a history."""

    codes: Some[str] = field(default_factory=list)
    """Hashes of the training code."""
    commits: Some[str] = field(default_factory=list)
    hardware: Some[dict[str, str | int | bool]] = field(default_factory=list)
    peak_memory_mb: CountOrNone = 0
    started: Annotated[float, Field(ge=0, le=4e9)] = 0.0
    """When the first attempt began, in seconds since 1970."""
    attempts: CountOrNone = 0
    """Attempts that led here; 0 in states of 0.5, which leave both to the log."""

    def followed_by(self, later: "History") -> "History":
        """Return this history extended by a later one."""
        return History(
            codes=distinct(self.codes + later.codes),
            commits=distinct(self.commits + later.commits),
            hardware=distinct(self.hardware + later.hardware),
            peak_memory_mb=max(self.peak_memory_mb, later.peak_memory_mb),
            started=self.started,
            attempts=self.attempts + later.attempts,
        )

    @property
    def machine(self) -> dict[str, Any]:
        """Return the last machine; list those used before it under `earlier`."""
        *earlier, last = self.hardware
        return last | ({"earlier": earlier} if earlier else {})


def distinct(values: list[Value]) -> list[Value]:
    """Return each value once, at its last position."""
    return [value for i, value in enumerate(values, 1) if value not in values[i:]]


def peak_memory_mb(device: torch.device) -> int:
    """Return the peak memory of this process, or of the GPU."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device) / 2**20)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 2**10


def versions() -> str:
    """Name the software that rounds: torch, Python, and the oneDNN that torch holds."""
    named = f"torch {torch.__version__}, Python {platform.python_version()}"
    with suppress(RuntimeError):  # torch asks a GPU's library, too, which may be a pretended one
        known = re.search(r"DNN v([\d.]+)", torch.__config__.show())
        named += f", oneDNN {known[1]}" if known else ""
    return named


def hardware(device: torch.device) -> dict[str, Any]:
    """Describe the hardware of this process."""
    name = platform.processor() or platform.machine()
    if device.type == "cpu" and CPUINFO.exists():
        known = re.search(r"^model name\s*:(.*)", CPUINFO.read_text(encoding="utf-8"), re.MULTILINE)
        name = known[1].strip() if known else name
    if device.type == "cuda":
        name = torch.cuda.get_device_name(device)
    found: dict[str, Any] = {
        "device": device.type,
        "name": name,
        "threads": torch.get_num_threads(),
        "versions": versions(),
    }
    if device.type == "cuda":
        found["tf32"] = torch.get_float32_matmul_precision() != "highest"
    if device.type == "cpu":
        found["operations"] = "torch" if compiled.hindrance() else "compiled"
        # Of large float32 products; those of bfloat16 are always oneDNN's.
        found["products"] = "oneDNN" if compiled.mkl_leaves_avx512() else "MKL"
    return found

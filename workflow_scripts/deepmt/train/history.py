"""What a training was computed by: code, commits and machines of the attempts that led to it."""

import platform
import resource
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import torch

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True)
class History:
    """Distinct values, what was used last at the end; every state holds one."""

    codes: list[str] = field(default_factory=list)
    """Hashes."""
    commits: list[str] = field(default_factory=list)
    hardware: list[dict[str, Any]] = field(default_factory=list)
    peak_memory_mb: int = 0

    @classmethod
    def of(cls, state: dict[str, Any]) -> "History":
        """What a state holds; an older one knows the code that wrote it and no more."""
        if "history" in state:
            return cls(**state["history"])
        return cls(codes=[state["fingerprint"]["code"]], commits=["unknown"])

    def then(self, later: "History") -> "History":
        """Both, one after the other."""
        return History(
            codes=distinct(self.codes + later.codes),
            commits=distinct(self.commits + later.commits),
            hardware=distinct(self.hardware + later.hardware),
            peak_memory_mb=max(self.peak_memory_mb, later.peak_memory_mb),
        )

    @property
    def machine(self) -> dict[str, Any]:
        """The one used last; others that computed a part stand under `earlier`."""
        *earlier, last = self.hardware
        return last | ({"earlier": earlier} if earlier else {})


def distinct(values: list[Value]) -> list[Value]:
    """Each value once, where it stands last."""
    return [value for i, value in enumerate(values, 1) if value not in values[i:]]


def peak_memory_mb(device: torch.device) -> int:
    """Of this process, or of the GPU."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device) / 2**20)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def hardware(device: torch.device) -> dict[str, Any]:
    """What this process runs on."""
    name = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines() if device.type == "cpu" else ():
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    if device.type == "cuda":
        name = torch.cuda.get_device_name(device)
    return {"device": device.type, "name": name, "threads": torch.get_num_threads()}

"""Read hardware.yaml: rates and sizes of machines, and how they are known; count usable cores."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.settings.strict import STRICT, Count, Name, NotNegative, Positive, look_up
from deepmt.settings.strict_yaml import read_file

MACHINES = re.compile(r"(?P<name>.+?)(?:x(?P<count>[0-9]{1,30}))?")
MAX_COUNT = 100_000
AUTO = "auto"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Hardware:
    """Describe one thread of a processor, or one GPU; rates are per second."""

    key: str = ""
    title: str
    device: Literal["cpu", "cuda"]
    name: str = ""
    """The name in outcome.json."""
    memory_mb: Count
    float32: Positive
    """FLOP of the matrix products of updates, with all that goes with them."""
    bfloat16: NotNegative = 0.0
    """The same in bfloat16; 0 = not supported."""
    width: Count
    """Width of models from which these two are reached; narrower ones reach their share of it."""
    layer: NotNegative = 0.0
    """Least seconds of a layer in an update: those of its launches."""
    decode: Positive
    """Time of beam search over that of as many FLOPs in training, in float32."""
    start: NotNegative
    """Seconds before the first update of a process."""
    pairs: Positive = 1800.0
    """Training pairs of 25 words a side that a core of it, or of its host, turns into ids."""
    basis: str
    """How each of these is known: measured, published or assumed."""

    @property
    def cuda(self) -> bool:
        """Check if it is a GPU."""
        return self.device == "cuda"


def load_hardware(path: Path) -> dict[str, Hardware]:
    """Read hardware.yaml; return its machines by name.

    Raises:
        ValueError: unknown or missing keys, and values of a wrong type or out of range.
    """
    found = read_file(path, dict[Name, Hardware])
    return {key: replace(hardware, key=key) for key, hardware in found.items()}


def parse(text: str, hardware: dict[str, Hardware], gpus: int) -> tuple[Hardware, int]:
    """Return the machine named by `text`, and how many of them.

    `h200x8` -> (H200, 8), `h200` -> (H200, 1), `auto` -> the cores that it may use, or as many of
    the first GPU listed as `gpus`, the GPUs of one training at this scale, if it is not 0.

    Raises:
        ValueError: no such machine, or none with the device that `auto` needs.
    """
    if text == AUTO:
        return _detect(hardware, gpus), gpus or usable_cores()
    match = MACHINES.fullmatch(text)
    name, count = (match["name"], int(match["count"] or 1)) if match else (text, 1)
    named = look_up("hardware", name, hardware, f"hardware={text}: ")
    if not 1 <= count <= MAX_COUNT:
        raise UserError(f"hardware={text}: needs 1 to {MAX_COUNT:,} of them, e.g. {name}x8")
    return named, count


def _detect(hardware: dict[str, Hardware], gpus: int) -> Hardware:
    device = "cuda" if gpus else "cpu"
    candidates = [each for each in hardware.values() if each.device == device]
    if not candidates:
        raise UserError(f"hardware=auto: hardware.yaml lists no machine with device: {device}")
    known = _read(Path("/proc/cpuinfo"))
    here = (each for each in candidates if each.name and each.name in known)
    first = candidates[0]
    title = first.title if gpus else f"{first.title}: hardware.yaml does not list this processor"
    return next(here, replace(first, title=title))


CGROUPS = Path("/sys/fs/cgroup")
QUOTA_AND_PERIOD = ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us")
"""Control groups of version 2 say both in the first file, and those of version 1 in the others."""


def usable_cores(groups: Path = CGROUPS, own: Path = Path("/proc/self/cgroup")) -> int:
    """Return the cores of the process's affinity, or fewer if its control group has less time."""
    cores = len(os.sched_getaffinity(0))
    for folder in _own_folders(groups, own):
        match " ".join(_read(folder / name) for name in QUOTA_AND_PERIOD).split():
            case [quota, period] if quota not in ("max", "-1"):
                cores = min(cores, max(1, int(quota) // int(period)))
    return cores


def _own_folders(groups: Path, own: Path) -> Iterator[Path]:
    """Yield the folders of the process's control groups, up to where these are mounted.

    In a container, the path may be the host's, while the container's own group is mounted.
    """
    for line in _read(own).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        for name in ("cpu", controllers) if controllers else ("", "unified"):
            folder = (mount := groups / name) / path.lstrip("/")
            yield from (each for each in (folder, *folder.parents) if each.is_relative_to(mount))


def _read(path: Path) -> str:
    """Return the text of a file, or none if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""

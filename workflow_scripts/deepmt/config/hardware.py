"""hardware.yaml: what a machine does in a second, and how each number of it is known."""

import re
from dataclasses import field
from pathlib import Path
from typing import Literal

from pydantic.dataclasses import dataclass

from deepmt.config.strict import STRICT
from deepmt.config.strict_yaml import Problems, did_you_mean, load, read

NAME = re.compile(r"(?P<name>.+?)(?:x(?P<count>\d+))?")
AUTO = "auto"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Hardware:
    """One thread of a processor, or one GPU; rates are a second's."""

    key: str = ""
    title: str
    device: Literal["cpu", "cuda"]
    name: str = ""
    """What outcome.json calls it."""
    memory_mb: int
    float32: float
    """FLOP of matrix products."""
    bfloat16: float = 0.0
    """The same; 0 = it multiplies no bfloat16."""
    fraction: float = 1.0
    """Of these two that is reached: 1 where they are measured, less where they are peaks."""
    values: float
    """Numbers kept for the way back, all that is done with them included."""
    call: float
    """Seconds that an operation takes at least, its way back included."""
    parameters: float
    """Parameters that the optimiser goes over."""
    decode: float = 1.0
    """Times of decoding over those of a forward pass of the same products."""
    link: float = 0.0
    """Bytes that a GPU sends to another."""
    disk: float
    """Bytes of a checkpoint written and hashed."""
    start: float
    """Seconds before the first update of a process."""
    basis: dict[str, str] = field(hash=False)
    """How each of these is known: measured, published or assumed."""

    def flops(self, *, reduced: bool) -> float:
        """FLOP a second in the precision that a run computes in."""
        return self.fraction * (self.bfloat16 if reduced and self.bfloat16 else self.float32)


def load_hardware(path: Path) -> dict[str, Hardware]:
    """Machines by name.

    Raises:
        ValueError: unknown, missing or mistyped keys; rates that are not positive.
    """
    node = load(path)
    problems = Problems()
    for child in node.value.values():
        for rate in ("float32", "values", "call", "parameters", "disk", "memory_mb"):
            if rate in child and not _positive(child[rate].value):
                problems.add(child[rate], "must be a number above 0")
    found = {key: read(child, Hardware, problems) for key, child in node.value.items()}
    problems.raise_if_any()
    return {key: Hardware(**vars(hardware) | {"key": key}) for key, hardware in found.items()}


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and value > 0


def parse(text: str, hardware: dict[str, Hardware], gpus: int) -> tuple[Hardware, int]:
    """`h200x8` -> (H200, 8), `h200` -> (H200, 1), `auto` -> this processor or the first GPU listed.

    `gpus` are those of one training at this scale: it decides what `auto` is.

    Raises:
        ValueError: no such machine, or none of a kind that `auto` could be.
    """
    if text == AUTO:
        return _this_one(hardware, gpus), max(1, gpus)
    match = NAME.fullmatch(text)
    name, count = (match["name"], int(match["count"] or 1)) if match else (text, 1)
    if name not in hardware:
        raise ValueError(
            f"hardware={text}: unknown hardware '{name}'{did_you_mean(name, hardware)}"
        )
    if count < 1:
        raise ValueError(f"hardware={text}: needs at least one, e.g. {name}x8")
    return hardware[name], count


def _this_one(hardware: dict[str, Hardware], gpus: int) -> Hardware:
    device = "cuda" if gpus else "cpu"
    of_kind = [each for each in hardware.values() if each.device == device]
    if not of_kind:
        raise ValueError(f"hardware=auto: hardware.yaml lists no machine with device: {device}")
    cpuinfo = Path("/proc/cpuinfo")
    known = cpuinfo.read_text() if cpuinfo.exists() else ""
    here = (each for each in of_kind if each.name and each.name in known)
    return next(here, of_kind[0])

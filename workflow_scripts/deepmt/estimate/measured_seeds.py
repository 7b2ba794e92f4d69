"""Read the duration of trained seeds from their outcomes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepmt.config.hardware import Hardware
from deepmt.files import read_json


@dataclass(frozen=True, kw_only=True)
class MeasuredSeed:
    """Describe one seed that was trained on one machine."""

    run: str
    seed: int
    updates: int
    seconds: float
    """Seconds per update."""
    hardware: Mapping[str, Any]
    """Device, name, threads, workers, precision."""

    @property
    def threads(self) -> int:
        """Return the number of threads of all its processes."""
        return int(self.hardware["threads"]) * int(self.hardware.get("workers", 1))

    def trained_on(self, hardware: Hardware) -> bool:
        """Check if it was trained on such a machine."""
        named = bool(hardware.name) and hardware.name in self.hardware["name"]
        return named and self.hardware["device"] == hardware.device


def measured_seeds(results: Path) -> Iterator[MeasuredSeed]:
    """Yield every finished or diverged seed below results/<scale> that used one machine only."""
    for path in sorted(results.glob("runs/*/seed*/outcome.json")):
        outcome = read_json(path)
        if outcome["updates"] and "earlier" not in outcome["hardware"]:
            yield MeasuredSeed(
                run=path.parts[-3],
                seed=int(path.parts[-2].removeprefix("seed")),
                updates=outcome["updates"],
                seconds=outcome["train_seconds"] / outcome["updates"],
                hardware=outcome["hardware"],
            )

"""Constants of a processor from measured updates: least squares on relative errors, in bounds.

seconds = calls * call + (flops / rate + values / rate + parameters / rate) / threads is linear in
(call, 1 / rate, ...): minimise sum_i (x_i . c / y_i - 1)^2 over c >= b, bounds of any thread.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepmt.config.spec import Spec, read
from deepmt.estimate.estimate import Run, Update, run_of
from deepmt.estimate.flops import model
from deepmt.estimate.work import Shape

Vector = NDArray[np.float64]
CONSTANTS = ("call", "float32", "bfloat16", "values", "parameters")
"""`call` is a coefficient itself, the others are rates: one over theirs."""
BOUNDS = np.array([1e-6, *(1 / best for best in (2.5e11, 1e12, 2e9, 5e8))])
"""Of one thread: two AVX-512 units at 4 GHz, AMX, 40 GB/s at 20 bytes a value and 80 a parameter.

Runs of one width hardly tell products from values: without bounds a fit can give all to one of them
and be wrong for other widths.
"""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One measured run; a line of records/bench/cost.jsonl."""

    run: str
    seed: int
    scale: str
    spec: dict[str, Any]
    """Its settings that are not the defaults, by dotted key."""
    hardware: str
    threads: int
    precision: str
    updates: int
    seconds: float
    """An update, wall time unless `note` says otherwise."""
    peak_memory_mb: int
    parameters: int
    decode_seconds_per_1000: float | None = None
    batch: dict[str, float] | None = None
    """Its one batch and `types`, where it was no run but a benchmark."""
    note: str = ""
    """Where it comes from, if not from an outcome."""
    fitted: bool = True
    """Whether constants are fitted to it."""

    @property
    def key(self) -> tuple[str, int, str, str]:
        """What may stand in the file once."""
        return self.run, self.seed, self.hardware, self.precision

    @cached_property
    def of_spec(self) -> Spec:
        """The spec that was run.

        Raises:
            ValueError: with today's defaults its settings make another one, or none.
        """
        spec, problems = read(self.spec)
        if spec is None or spec.run != self.run:
            raise ValueError(f"records/bench/cost.jsonl: {self.run}: another spec now {problems}")
        return spec

    @property
    def update(self) -> Update:
        """What its mean update consists of."""
        run = run_of(self.of_spec)
        if self.batch is None:
            return run.update
        sizes: dict[str, Any] = {key: value for key, value in self.batch.items() if key != "types"}
        types = (int(self.batch["types"]),) * 2
        shape, text = Shape(**sizes), replace(run.text, types=types)
        return Run(run.spec, text, shape, model(run.spec, types, shape)).update

    @property
    def features(self) -> Vector:
        """What each constant is multiplied with."""
        update = self.update
        reduced = self.precision == "bfloat16"
        shared = [update.flops * (not reduced), update.flops * reduced]
        shared += [update.values, update.parameters]
        return np.array([update.calls, *(each / self.threads for each in shared)])


def settings_of(spec: Spec) -> dict[str, Any]:
    """What `deepmt.config.spec.read` makes the spec of, without what it adds by itself."""
    return {
        f"{section.name}.{item.name}": getattr(part, item.name)
        for section in fields(spec)
        for part in [getattr(spec, section.name)]
        for item in fields(part)
        if getattr(part, item.name) != item.default
    }


def load_points(path: Path) -> list[Point]:
    """The lines of records/bench/cost.jsonl."""
    return [Point(**json.loads(line)) for line in path.read_text().splitlines()]


def as_lines(points: Sequence[Point]) -> str:
    """JSON lines, in order of their keys."""
    ordered = sorted(points, key=lambda point: point.key)
    return "".join(json.dumps(asdict(p), sort_keys=True, separators=(",", ":")) + "\n"
                   for p in ordered)  # fmt: skip


def fit(features: NDArray[np.float64], seconds: Vector) -> Vector:
    """The best coefficients within bounds: of all choices of those above theirs, the best one."""
    relative = features / seconds[:, None] * BOUNDS
    rest = 1 - relative.sum(1)
    used = np.flatnonzero(relative.max(0) > 0)
    best, least = np.zeros(len(BOUNDS)), float((rest**2).sum())
    for number in range(1, len(used) + 1):
        for chosen in map(list, combinations(used, number)):
            above, *_ = np.linalg.lstsq(relative[:, chosen], rest)
            error = float(((relative[:, chosen] @ above - rest) ** 2).sum())
            if (above >= 0).all() and error < least:
                best, least = np.zeros(len(BOUNDS)), error
                best[chosen] = above
    return BOUNDS * (1 + best)


def held_out(features: NDArray[np.float64], seconds: Vector) -> Vector:
    """Each point predicted by the fit to all the others, over what was measured."""
    rest = [np.arange(len(seconds)) != i for i in range(len(seconds))]
    return np.array(
        [features[i] @ fit(features[r], seconds[r]) / seconds[i] for i, r in enumerate(rest)]
    )


def constants(coefficients: Vector) -> dict[str, float]:
    """As hardware.yaml has them."""
    call, *others = coefficients.tolist()
    return dict(zip(CONSTANTS, [call, *(1 / each for each in others)], strict=True))

"""Predicted against real: seeds that were trained on the hardware that the plan counts in.

A run that diverged is measured by its updates:

    ratio = (real seconds / updates made) / (predicted seconds / updates asked for)
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from deepmt.config.settings import Plan
from deepmt.config.spec import Spec
from deepmt.estimate.estimate import estimate
from deepmt.estimate.runs import Machines, family
from deepmt.results.records import read_records

NEAR = 1.3
"""A prediction is near if real over predicted lies in 1/NEAR..NEAR."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One seed; seconds are those of all its updates, had it made them."""

    run: str
    seed: int
    family: str
    predicted: float
    real: float

    @property
    def ratio(self) -> float:
        """Real over predicted."""
        return self.real / self.predicted

    @property
    def near(self) -> bool:
        """Whether the prediction is within 30 %."""
        return 1 / NEAR <= self.ratio <= NEAR


def measured(plan: Plan, machines: Machines, root: Path) -> list[Measured]:
    """Seeds with an outcome or a record, of results and shelf, on machines of this kind."""
    return [
        Measured(
            run=spec.run,
            seed=seed,
            family=family(spec),
            predicted=prediction(spec, machines, ran),
            real=seconds / updates * spec.training.updates,
        )
        for spec, seed, ran, updates, seconds in ended(plan, root)
        if machines.made(ran) and updates and seconds
    ]


def prediction(spec: Spec, machines: Machines, ran: Mapping[str, Any]) -> float:
    """Seconds, with the threads or GPUs that a run had."""
    gpus, threads = (ran["workers"], 1) if machines.cuda else (1, ran["threads"] * ran["workers"])
    return estimate(spec, machines.hardware, threads=threads, gpus=gpus).train_seconds


def share_near(found: Sequence[Measured]) -> float:
    """Share of the seeds whose prediction is near."""
    return fmean(one.near for one in found)


def factors(found: Iterable[Measured]) -> dict[str, float]:
    """Median real over predicted by family of methods: what predictions are multiplied by."""
    ratios: dict[str, list[float]] = {}
    for one in found:
        ratios.setdefault(one.family, []).append(one.ratio)
    return {name: median(values) for name, values in ratios.items()}


def ended(
    plan: Plan, root: Path
) -> Iterator[tuple[Spec, int, Mapping[str, Any], int, float | None]]:
    """Spec, seed, hardware, updates and seconds of each seed, once."""
    results = root / plan.config.results
    specs = plan.every_run.values()
    records, _ = read_records(results, root / "records", specs, plan.scale.name)
    seen = set()
    for record in records:
        seen.add((record.run, record.seed))
        seconds = record.throughput.get("train_seconds")
        yield plan.every_run[record.run], record.seed, record.hardware, record.updates, seconds
    for path in sorted(results.glob("runs/*/seed*/outcome.json")):
        run, seed = path.parts[-3], int(path.parts[-2].removeprefix("seed"))
        if run in plan.every_run and (run, seed) not in seen:
            outcome = json.loads(path.read_text())
            spec = plan.every_run[run]
            yield spec, seed, outcome["hardware"], outcome["updates"], outcome["train_seconds"]

"""Time one update of every system of a scale's tables, in turn, on one core and the scale's text.

The process time of a recorded seed depends on the machine and on what ran beside it.
"""

import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import torch

from deepmt.base.cli import run
from deepmt.base.files import commit, write_json
from deepmt.data.batches import Batch, TrainingBatches
from deepmt.settings.spec import Spec
from deepmt.settings.strict import Count
from deepmt.study.papers import rows_of
from deepmt.study.plan import load_plan
from deepmt.train.execution import ExecutionConfig, keep_memory
from deepmt.train.history import hardware
from deepmt.train.run_paths import RunPaths
from deepmt.untrained.bare_trainer import BareTrainer

ROOT = Path(__file__).parents[1]
WARMUP = 3
"""Updates before the first that counts: they choose and keep the products of each shape."""


def main(
    data: Annotated[Path, "encoded corpus of the scale, data/encoded/..."],
    scale: str = "multi30k-budget",
    rows: Annotated[str, "what to time: ids of rows and tables"] = (
        "unified.table1,unified.table6,unified.table7"
    ),
    updates: Count = 20,
    output: Path = Path("results/bench/core-seconds.json"),
) -> None:
    """Time all systems alternately, and write the medians."""
    plan = load_plan(ROOT, {"scale": scale, "papers": "unified", "rows": rows})
    torch.set_num_threads(1)
    keep_memory()
    specs = {
        row.system: plan.specs[row.id]
        for paper in plan.papers
        for row in rows_of(paper)
        if row.system and row.id in plan.specs
    }
    first, *_ = specs.values()
    paths = RunPaths(spec=Path(), dataset=data, init=Path(), output=Path())
    # All systems of a scale train on the same batches.
    assert len({spec.training.batch_tokens for spec in specs.values()}) == 1
    drawn = TrainingBatches.of(paths.pair(first, "train"), first.training, seed=1)
    batches = (drawn.batch(device) for update in drawn.epoch(0) for device in update)
    timings = time_updates(specs, paths.vocabularies(first), islice(batches, updates + WARMUP))
    found = {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(ROOT),
        "hardware": hardware(torch.device("cpu")),
        "scale": scale,
        "updates": updates,
        "systems": timings,
    }
    write_json(output, found)
    for system, timing in timings.items():
        print(f"{system:28} {timing['core_seconds']:.3f} core seconds an update")


def time_updates(
    specs: Mapping[str, Spec], types: tuple[int, int], batches: Iterable[Batch]
) -> dict[str, dict[str, Any]]:
    """Return run, parameters and median core seconds of an update after the warm-up by system."""
    first, *others = batches
    trainers = {
        system: BareTrainer(spec, types, first, ExecutionConfig()) for system, spec in specs.items()
    }
    seconds: dict[str, list[float]] = {system: [] for system in specs}
    for batch in (first, *others):
        for system, trainer in trainers.items():
            began = time.process_time()
            trainer.update(batch)
            seconds[system].append(time.process_time() - began)
    return {
        system: {
            "run": specs[system].run,
            "parameters": sum(weight.numel() for weight in trainer.model.parameters()),
            "core_seconds": round(median(seconds[system][WARMUP:]), 5),
        }
        for system, trainer in trainers.items()
    }


if __name__ == "__main__":
    run(main)

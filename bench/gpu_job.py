"""Train and translate one seed on a GPU that other seeds share, or time its updates there."""

import re
import shutil
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch

from deepmt.base.files import write_json
from deepmt.data.batches import TrainingBatches
from deepmt.decode.translate import TranslationArgs
from deepmt.settings.point_names import weights_at
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import Spec
from deepmt.train.execution import ExecutionConfig
from deepmt.train.measurements import LoggingIntervals
from deepmt.train.run import train
from deepmt.train.run_paths import RunPaths
from deepmt.untrained.bare_trainer import BareTrainer
from jobs import average, initialise, record, score, translate

WARMUP = 20
"""Updates before those that are timed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Job:
    """Hold one seed of a run, and what is translated of it."""

    scale: str
    spec: Spec
    seed: int
    dataset: Path
    folder: Path
    points: dict[str, list[str]]
    every: LoggingIntervals
    device: str = "cuda"

    @property
    def paths(self) -> RunPaths:
        """Return the files that training reads and writes."""
        files = SeedFolder(self.folder)
        return RunPaths(
            spec=files.spec, dataset=self.dataset, init=files.init, output=files.outcome
        )

    @property
    def name(self) -> str:
        """Return scale, run and seed in words."""
        return f"{self.scale} {self.spec.run} seed {self.seed}"

    @property
    def progress(self) -> str:
        """Return how far training has come, in words."""
        log = self.paths.files.log
        known = re.findall(r'"update": (\d+)', log.read_text()) if log.exists() else []
        return f"update {known[-1] if known else 0} of {self.spec.training.updates}"


def complete(job: Job) -> None:
    """Train a seed, and translate with it."""
    torch.set_num_threads(1)
    job.folder.mkdir(parents=True, exist_ok=True)
    sys.stderr = (job.folder / "stderr.txt").open("w", buffering=1)
    paths = job.paths
    try:
        write_json(paths.spec, job.spec.sections)
        initialise.main(spec=paths.spec, dataset=job.dataset, seed=job.seed, output=paths.init)
        execution = ExecutionConfig(device=job.device, resumable=False)
        train(paths, seed=job.seed, execution=execution, every=job.every)
        for point, splits in job.points.items():
            translate_point(job, point, splits)
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
        raise
    files = paths.files
    # What a finished run leaves that nobody needs to score it.
    unneeded = (files.states, files.init, files.model, files.lock)
    for path in (part for each in unneeded for part in job.folder.rglob(each.name)):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def translate_point(job: Job, point: str, splits: Sequence[str]) -> None:
    """Write the weights of one point, and its translations of some splits."""
    paths = job.paths
    files = paths.files.point(point)
    average.main(spec=paths.spec, outcome=paths.output, output=files.model, **weights_at(point))
    for split in splits:
        translate.main(
            TranslationArgs(
                spec=paths.spec,
                dataset=paths.dataset,
                model=files.model,
                output=files.hypotheses(split),
                report=files.decoded(split),
                device=job.device,
            ),
            seed=job.seed,
            split=split,
            tokenised=files.tokenised(split),
        )


def record_job(job: Job) -> None:
    """Score the translations of a finished seed, and write its record."""
    scores, files = [], job.paths.files
    for point, split in ((p, split) for p, splits in job.points.items() for split in splits):
        scores.append(files.point(point).scored(split))
        score.main(dataset=job.dataset, split=split, output=scores[-1])
    record.main(
        spec=job.paths.spec,
        outcome=job.paths.output,
        manifest=job.dataset / "manifest.json",
        scores=tuple(scores),
        scale=job.scale,
        seed=job.seed,
        output=files.record,
    )


def count_updates(job: Job, ready: Any, counts: Any, seconds: float) -> None:
    """Count the updates of a training in a time that begins for all processes together."""
    torch.set_num_threads(1)
    pair = job.paths.pair(job.spec, "train")
    drawn = TrainingBatches.of(pair, job.spec.training, job.seed)
    batches = [drawn.batch(rows) for update in islice(drawn.epoch(0), 50) for rows in update]
    types = job.paths.vocabularies(job.spec)
    trainer = BareTrainer(job.spec, types, batches[0], ExecutionConfig(device=job.device))
    for batch in batches[:WARMUP]:
        trainer.update(batch)
    ready.wait()
    number, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        trainer.update(batches[number % len(batches)])
        number += 1
    counts.put(number)

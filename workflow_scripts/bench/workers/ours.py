"""This project: the trainer's own update, as `train.py` runs it.

All that the benchmark knows of the engine stands in this file.
"""

import tempfile
from pathlib import Path
from typing import cast

import torch

from bench.protocol import System, Task, each, serve
from bench.workers.on_torch import insist_on, num_parameters, peak_memory_mb
from bench.workload import MAX_TOKENS, Size
from bench.workload import Batch as Arrays
from deepmt import spec as schema
from deepmt.build import build as build_model
from deepmt.data.batches import Batch, TrainingBatches
from deepmt.init.initialise import initialise_
from deepmt.spec import Spec
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.engine import Engine
from deepmt.train.loop import Trainer
from deepmt.train.outcome import Turn, Watch
from deepmt.train.run import code_hash
from deepmt.train.sight import Log

WHOLE_BATCH = 1_000_000
"""Micro-tokens that no batch exceeds: sources may be longer than targets."""


def spec_of(size: Size) -> Spec:
    """Post-norm with the defaults of the project."""
    settings = {
        "encoder.layers": size.encoder_layers,
        "decoder.layers": size.decoder_layers,
        "data.corpus": "benchmark",
        "data.source": "source",
        "data.target": "target",
        "training.updates": 1000,
        "training.batch_tokens": MAX_TOKENS,
        "training.lr": 1e-4,
        "training.warmup": 1,
        "training.stall_share": 1.0,
    }
    for stack in ("encoder", "decoder"):
        for key in ("d_model", "feed_forward", "heads"):
            settings[f"{stack}.{key}"] = getattr(size, key)
    spec, problems = schema.read(settings)
    if spec is None:
        raise ValueError(f"bench/workers/ours.py: settings of size {size.name}: {problems}")
    return spec


def trainer_of(spec: Spec, size: Size, task: Task) -> Trainer:
    """A trainer that is handed its batches: it reads no corpus and writes no file."""
    model = build_model(spec, size.vocabulary, size.vocabulary)
    initialise_(model, spec, lambda: (torch.empty(0), torch.empty(0)))
    with tempfile.TemporaryDirectory() as folder:
        return Trainer(
            spec,
            model.to(task.device).train(),
            cast(TrainingBatches, None),
            Checkpoints(Path(folder), 1),
            Watch(spec.training.updates, 1.0, float("inf")),
            Log(Path(folder) / "log.jsonl"),
            name="benchmark",
            fingerprint={},
            engine=Engine(
                device=task.device,
                precision=task.precision,  # never its own choice
                micro_tokens=WHOLE_BATCH,
            ),
        )


def build(size: Size, task: Task) -> System:
    """deepmt's Trainer."""
    trainer = trainer_of(spec_of(size), size, task)
    insist_on(trainer.model, task.precision)

    def step(arrays: Arrays) -> float:
        batch = Batch(torch.from_numpy(arrays.source), torch.from_numpy(arrays.target))
        divergence, _ = trainer._update(batch, Turn(0, trainer.position.batch), False)
        if divergence:
            raise FloatingPointError(divergence.reason)
        return trainer.watch.losses[-1]

    return System(
        name="ours",
        version=code_hash(),
        parameters=num_parameters(trainer.model),
        update=each(step),
        peak_memory_mb=lambda: peak_memory_mb(task.device),
    )


if __name__ == "__main__":
    serve(build)

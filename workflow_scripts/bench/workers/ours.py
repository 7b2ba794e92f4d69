"""This project: the trainer's own update, as `train.py` runs it.

All that the benchmark knows of the engine stands in this file.
"""

import torch

from bench.protocol import System, Task, each, serve
from bench.workers.on_torch import insist_on, num_parameters, peak_memory_mb
from bench.workload import MAX_TOKENS, Size, draw
from bench.workload import Batch as Arrays
from deepmt.config import spec as schema
from deepmt.config.spec import Spec
from deepmt.data.batches import Batch
from deepmt.files import code_hash
from deepmt.metrics.bare_trainer import bare_trainer, make_update
from deepmt.train.code import TRAINING
from deepmt.train.engine import Engine
from deepmt.train.loop import Trainer

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
    """Our trainer in the precision that is asked for, never its own choice."""
    engine = Engine(device=task.device, precision=task.precision, micro_tokens=WHOLE_BATCH)
    vocabulary = size.vocabulary, size.vocabulary
    return bare_trainer(spec, vocabulary, tensors(draw(size, 1).batches[0]), engine)


def tensors(arrays: Arrays) -> Batch:
    """A batch as the trainer takes it."""
    return Batch(torch.from_numpy(arrays.source), torch.from_numpy(arrays.target))


def build(size: Size, task: Task) -> System:
    """deepmt's Trainer."""
    trainer = trainer_of(spec_of(size), size, task)
    insist_on(trainer.model, task.precision)
    return System(
        name="ours",
        version=code_hash(*TRAINING),
        parameters=num_parameters(trainer.model),
        run=each(lambda arrays: make_update(trainer, tensors(arrays))),
        peak_memory_mb=lambda: peak_memory_mb(task.device),
    )


if __name__ == "__main__":
    serve(build)

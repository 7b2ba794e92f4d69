"""The trainer's own update without corpus, folder and log, to measure what it costs."""

import tempfile
from pathlib import Path
from typing import cast

from deepmt.config.spec import Spec
from deepmt.data.batches import Batch, TrainingBatches
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.engine import Engine
from deepmt.train.loop import Trainer
from deepmt.train.outcome import Turn, Watch
from deepmt.train.sight import Log


def bare_trainer(spec: Spec, vocabulary: tuple[int, int], first: Batch, engine: Engine) -> Trainer:
    """Build a trainer that is handed its batches; a method that profiles a batch gets `first`."""
    model = build(spec, *vocabulary)
    initialise_(model, spec, lambda: (first.source, first.target))
    with tempfile.TemporaryDirectory() as folder:
        return Trainer(
            spec,
            model.to(engine.device).train(),
            cast(TrainingBatches, None),
            Checkpoints(Path(folder), 1),
            Watch(spec.training.updates, 1.0, float("inf")),
            Log(Path(folder) / "log.jsonl"),
            name="measured",
            fingerprint={},
            engine=engine,
        )


def make_update(trainer: Trainer, batch: Batch) -> float:
    """Make one update; return its loss.

    Raises:
        FloatingPointError: loss or gradient is not finite.
    """
    divergence, _ = trainer.update(batch, Turn(0, trainer.position.batch), False)
    if divergence:
        raise FloatingPointError(divergence.reason)
    return trainer.watch.losses[-1]

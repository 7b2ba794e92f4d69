"""Run the trainer's own update without corpus, folder and log, to measure its cost."""

import math
from pathlib import Path

import torch

from deepmt.data.batches import Batch
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.settings.spec import Spec
from deepmt.train.event_log import EventLog
from deepmt.train.execution import ExecutionConfig
from deepmt.train.passes import Share
from deepmt.train.update import Updater


class BareTrainer:
    """Update a model on batches passed by the caller."""

    def __init__(
        self, spec: Spec, vocabulary: tuple[int, int], first: Batch, execution: ExecutionConfig
    ) -> None:
        """Initialise the model; methods that profile a batch use `first`."""
        self.model = build(spec, *vocabulary)
        initialise_(self.model, spec, lambda: (first.source, first.target))
        self.model.to(execution.device).train()
        self.updater = Updater(spec, self.model, execution, EventLog(Path(), writes=False))
        self.updates = 0

    def update(self, batch: Batch) -> float:
        """Perform one update and return its loss; raise as `loss_and_norm` does."""
        return self.loss_and_norm(batch)[0]

    def loss_and_norm(self, batch: Batch) -> tuple[float, float]:
        """Perform one update and return its loss and gradient norm.

        Raises:
            FloatingPointError: if the loss or the gradient is not finite.
        """
        self.updates += 1
        loss, _ = self.updater.gradient(Share.whole([batch]), self.updates)
        norm = self.updater.flat.norm()
        found, size = torch.stack([loss, norm]).tolist()
        if not math.isfinite(found) or not math.isfinite(size):
            raise FloatingPointError(f"loss is {found}, gradient norm is {size}")
        self.updater.step(self.updates, norm)
        return found, size
